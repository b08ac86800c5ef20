#' Tables that change
#'
#' A state keeps a table, its groups and what was released of it in one file. Every change is one transaction: all of it is
#' done, or nothing. Every release stays k-anonymous.
#'
#' @param path The file.
#' @param release A release of [kanonymise()]: a new file is made of it. Without it, the file is opened.
#' @param wait_seconds How long to wait for another process; 0: ten seconds.
#' @param state,con A state.
#' @param records A data frame with all columns of the table, or for `state_delete()` with those of its key.
#' @param grow_taxonomy Put unknown categories below the root instead of refusing them.
#' @param joint_k How many records, or persons if there is an entity, all releases together leave alike: records are
#'   withheld, or shown in other groups, where that is needed. `NULL`: what the state says, which is k unless its schema
#'   says otherwise; `"off"`: only warn.
#' @param released Whether `release` is the first release of the state, with which later ones are compared; `FALSE`: nobody
#'   gets it.
#' @param refine The refinement that [state_optimise()] runs, `"il-optimization"` by default: see [kanon_catalogue()].
#' @param again Apply records also where they are those that were applied last.
#' @param effort Where a search made the groups: how much it looks for less loss around those that change, `"fast"` (not
#'   at all), `"balanced"` or `"best"`.
#' @param numeric,shuffle,shuffle_seed As in [write_release()]; without a `path` `numeric` is that of [kanonymise()]. A state
#'   keeps texts: columns that are not quasi-identifiers come back as text.
#' @param k What the classes are held against; 0: the state's.
#' @param ... Not used.
#' @return `kanon_state()` an open state; the changes and `state_describe()` and `state_audit()` lists of figures;
#'   `state_release()` the released table as a data frame, or with a `path` that of the CSV file, invisibly.
#' @examplesIf kanon_about()$states
#' people <- data.frame(id = 1:4, age = c(23, 25, 41, 44))
#' path <- tempfile(fileext = ".kanon")
#' first <- kanonymise(people, quasi = "age", identifying = "id", key = "id", k = 2)
#' state <- kanon_state(path, first)
#' state_insert(state, data.frame(id = 5L, age = 24))$records
#' head(state_release(state))
#' close(state)
#' unlink(path)
#' @export
kanon_state <- function(path, release = NULL, wait_seconds = 0, joint_k = NULL, released = TRUE) {
  if (!is.null(release)) {
    must_be_release(release)
    handles <- own(release)$handles
    .Call(C_state_create, handles$table, handles$schema, handles$grouping,
          list(path = path, joint_k = joint_size(joint_k), released = as.integer(released)))
  }
  handle <- .Call(C_state_open, list(path = path, wait_seconds = wait_seconds))
  structure(list(handle = handle, path = path), class = "kanon_state")
}

# As the library counts it: 0 is what the state says, -1 is off.
joint_size <- function(joint_k) {
  if (is.null(joint_k)) return(0)
  if (identical(joint_k, "off")) return(-1)
  if (!is.numeric(joint_k) || length(joint_k) != 1L || is.na(joint_k) || joint_k < 2 || joint_k != trunc(joint_k)) {
    usage_error("joint_k is a whole number of at least 2, or \"off\"")
  }
  joint_k
}

# Classes that are too small with all releases; where none may be, these were before.
warn_of_audit <- function(done) {
  if (done$joint_below == 0) return(invisible())
  why <- if (done$joint_required) "they were before this release, which no release can change"
         else "nothing was withheld, because joint_k is off"
  text <- sprintf("those who have all %.0f releases can tell %.0f records from fewer than %.0f others; %s", done$release,
                  done$joint_below, done$joint_k - 1, why)
  warning(warningCondition(text, class = "kanon_privacy_warning"))
}

state_handle <- function(state) {
  if (!inherits(state, "kanon_state")) usage_error("that is not a state of kanon_state()")
  state$handle
}

change <- function(state, what, records = NULL, ...) {
  stream <- if (is.null(records)) NULL else stream_of(records)
  done <- .Call(C_state_change, state_handle(state), stream, list(what = what, ...))
  if (nzchar(done$question)) warning(done$question, "; look whether columns are exchanged", call. = FALSE)
  if (nzchar(done$privacy)) warning(warningCondition(done$privacy, class = "kanon_privacy_warning"))
  warn_of_audit(done)
  done
}

# What a change did, without the bytes of a release.
figures_of <- function(done) done[names(done) != "bytes"]

#' @rdname kanon_state
#' @export
state_insert <- function(state, records, grow_taxonomy = FALSE, joint_k = NULL, again = FALSE, effort = "balanced") {
  figures_of(change(state, "insert", records, grow_taxonomy = grow_taxonomy, joint_k = joint_size(joint_k), again = again,
                    effort = effort))
}

#' @rdname kanon_state
#' @export
state_delete <- function(state, records, joint_k = NULL, again = FALSE, effort = "balanced") {
  figures_of(change(state, "delete", records, joint_k = joint_size(joint_k), again = again, effort = effort))
}

#' @rdname kanon_state
#' @export
state_update <- function(state, records, grow_taxonomy = FALSE, joint_k = NULL, effort = "balanced") {
  figures_of(change(state, "update", records, grow_taxonomy = grow_taxonomy, joint_k = joint_size(joint_k), effort = effort))
}

#' @rdname kanon_state
#' @export
state_optimise <- function(state, refine = NULL) figures_of(change(state, "optimise", refine = refine))

#' @rdname kanon_state
#' @export
state_release <- function(state, path = NULL, numeric = c("interval", "range", "mean", "columns"), joint_k = NULL,
                          shuffle = FALSE, shuffle_seed = NULL) {
  order <- release_order(shuffle, shuffle_seed)
  if (is.null(path)) {
    forms <- c("columns", "interval", "mean")
    of <- if (missing(numeric)) "columns" else one_of(numeric, forms, "numeric")
    found <- .Call(C_state_release, state_handle(state), list(
      numeric = match(of, c("interval", "range", "mean", "columns")), joint_k = joint_size(joint_k), shuffle = order$shuffle, shuffle_seed = order$seed,
      integer64 = character()
    ))
    warn_of_audit(found$done)
    return(as_frame(found$columns, list(kind = "data.frame", columns = list())))
  }
  forms <- c("interval", "range", "mean", "columns")
  done <- change(state, "release", path = path, numeric = match(one_of(numeric, forms, "numeric"), forms),
                 joint_k = joint_size(joint_k), shuffle = order$shuffle, shuffle_seed = order$seed)
  invisible(path)
}

#' @rdname kanon_state
#' @export
state_describe <- function(state) .Call(C_state_describe, state_handle(state))

#' @rdname kanon_state
#' @export
state_audit <- function(state, k = 0) .Call(C_state_audit, state_handle(state), k)

#' @rdname kanon_state
#' @export
close.kanon_state <- function(con, ...) invisible(.Call(C_state_close, state_handle(con)))

#' @export
print.kanon_state <- function(x, ...) {
  cat(sprintf("<kanon_state: %s>\n", x$path))
  invisible(x)
}
