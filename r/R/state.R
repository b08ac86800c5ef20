#' Tables that change
#'
#' A state keeps a table, its groups and what was released of it in one file. Every change is one transaction: all of it is
#' done, or nothing. Every release stays k-anonymous.
#'
#' @section Methods:
#' A state is an object with methods, called as `state$insert(new)`:
#'
#' - `$insert(records, grow_taxonomy = FALSE, joint_k = NULL, again = FALSE, effort = "balanced")` adds records;
#' - `$delete(records, joint_k = NULL, again = FALSE, effort = "balanced")` removes those with the keys of `records`;
#' - `$update(records, grow_taxonomy = FALSE, joint_k = NULL, effort = "balanced")` replaces those with the same keys;
#' - `$improve(refine = NULL)` searches for groups that lose less;
#' - `$release(path = NULL, numeric, joint_k = NULL, shuffle = FALSE, shuffle_seed = NULL, groups = NULL, report = NULL,
#'   report_external = NULL, codebook = NULL)` gives the released table, which is recorded;
#' - `$describe()` says what the state holds, as `summary(state)` does, and `$audit(k = 0)` what somebody who has all
#'   releases can tell apart;
#' - `$close()`, or `close(state)`, closes the file. Nothing is lost without it.
#'
#' Their arguments: `records` is a data frame with all columns of the table, or for `$delete()` with those of its key.
#' `grow_taxonomy = TRUE` puts unknown categories below the root instead of refusing them. `again = TRUE` applies records also
#' where they are those that were applied last. `effort` says, where a search made the groups, how much it looks for less loss
#' around those that change: `"fast"` (not at all), `"balanced"` or `"best"`. `refine` is the refinement, `"il-optimization"` by
#' default: see [kanon_catalogue()]. `numeric`, `shuffle` and `shuffle_seed` are those of [write_release()]; without a `path`
#' `numeric` is that of [kanonymise()]. A state keeps texts: columns that are not quasi-identifiers come back as text.
#' `groups`, `report`, `report_external` and `codebook` are paths of files that are written, too: see [report()]. `k` is what
#' the classes are held against; 0: the state's.
#'
#' @param path The file.
#' @param release A release of [kanonymise()]: a new file is made of it. Without it, the file is opened.
#' @param wait_seconds How long to wait for another process; 0: ten seconds.
#' @param joint_k How many records, or persons if there is an entity, all releases together leave alike: records are
#'   withheld, or shown in other groups, where that is needed. `NULL`: what the state says, which is k unless its schema
#'   says otherwise; `"off"`: only warn.
#' @param released Whether `release` is the first release of the state, with which later ones are compared; `FALSE`: nobody
#'   gets it.
#' @param x,object,con A state.
#' @param ... Not used.
#' @return `kanon_state()` an open state, an object of class `kanon_state`. `$insert()`, `$delete()`, `$update()` and
#'   `$improve()` give lists of figures, invisibly; `$release()` the released table as a data
#'   frame, or with a `path` that of the CSV file, invisibly.
#' @examplesIf kanon_about()$states
#' people <- data.frame(id = 1:4, age = c(23, 25, 41, 44))
#' path <- tempfile(fileext = ".kanon")
#' first <- kanonymise(people, quasi = "age", identifying = "id", key = "id", k = 2)
#' state <- kanon_state(path, first)
#' state$insert(data.frame(id = 5L, age = 24))
#' state
#' head(state$release())
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
  new_state(path, .Call(C_state_open, list(path = path, wait_seconds = wait_seconds)))
}

# The object: an environment with the methods, which alone know the handle.
new_state <- function(path, handle) {
  force(handle) # a file that cannot be opened is an error here
  change <- function(what, records = NULL, ...) {
    stream <- if (is.null(records)) NULL else stream_of(records)
    done <- .Call(C_state_change, handle, stream, list(what = what, ...))
    if (nzchar(done$question)) warning(done$question, "; look whether columns are exchanged", call. = FALSE)
    if (nzchar(done$privacy)) warning(warningCondition(done$privacy, class = "kanon_privacy_warning"))
    warn_of_audit(done)
    figures_of(done)
  }
  insert <- function(records, grow_taxonomy = FALSE, joint_k = NULL, again = FALSE, effort = "balanced") {
    check_words(list(effort = effort))
    invisible(change("insert", records, grow_taxonomy = grow_taxonomy, joint_k = joint_size(joint_k), again = again,
                     effort = effort))
  }
  delete <- function(records, joint_k = NULL, again = FALSE, effort = "balanced") {
    check_words(list(effort = effort))
    invisible(change("delete", records, joint_k = joint_size(joint_k), again = again, effort = effort))
  }
  update <- function(records, grow_taxonomy = FALSE, joint_k = NULL, effort = "balanced") {
    check_words(list(effort = effort))
    invisible(change("update", records, grow_taxonomy = grow_taxonomy, joint_k = joint_size(joint_k), effort = effort))
  }
  improve <- function(refine = NULL) invisible(change("improve", refine = refine))
  release <- function(path = NULL, numeric = c("interval", "range", "mean", "columns"), joint_k = NULL, shuffle = FALSE,
                      shuffle_seed = NULL, groups = NULL, report = NULL, report_external = NULL, codebook = NULL) {
    order <- release_order(shuffle, shuffle_seed)
    forms <- if (is.null(path)) option_words$numeric else notations
    options <- list(numeric = notation(if (missing(numeric)) forms else numeric, forms), joint_k = joint_size(joint_k),
                    shuffle = order$shuffle, shuffle_seed = order$seed, groups = groups, report = report, report_external = report_external,
                    codebook = codebook)
    if (is.null(path)) {
      found <- .Call(C_state_release, handle, c(options, list(integer64 = character())))
      warn_of_audit(found$done)
      return(as_frame(found$columns, list(kind = "data.frame", columns = list())))
    }
    do.call(change, c(list("release", path = path), options))
    invisible(path)
  }
  describe <- function() .Call(C_state_describe, handle)
  audit <- function(k = 0) .Call(C_state_audit, handle, k)
  close <- function() invisible(.Call(C_state_close, handle))
  self <- list2env(mget(state_methods), parent = emptyenv())
  self$path <- path
  lockEnvironment(self, bindings = TRUE)
  structure(self, class = "kanon_state")
}

state_methods <- c("insert", "delete", "update", "improve", "release", "describe", "audit", "close")

#' @export
`$.kanon_state` <- function(x, name) {
  found <- get0(name, envir = x, inherits = FALSE)
  if (is.null(found)) usage_error("a state has no method '", name, "'", nearest(name, state_methods))
  found
}

#' @rdname kanon_state
#' @export
close.kanon_state <- function(con, ...) con$close()

#' @rdname kanon_state
#' @export
summary.kanon_state <- function(object, ...) {
  structure(c(list(path = object$path), object$describe()), class = "summary.kanon_state")
}

#' @export
print.summary.kanon_state <- function(x, ...) {
  cat(sprintf("<kanon_state: %s>\n", x$path))
  for (name in setdiff(names(x), "path")) {
    value <- x[[name]]
    shown <- if (!is.numeric(value)) value else if (name == "loss") format(value, digits = 6) else count(value)
    cat(sprintf("  %-12s %s\n", name, shown))
  }
  invisible(x)
}

#' @rdname kanon_state
#' @export
format.kanon_state <- function(x, ...) {
  held <- tryCatch(x$describe(), kanon_error = function(e) NULL)
  said <- if (is.null(held)) "closed" else {
    sprintf("%s records in %s groups, k = %s, %s release%s", count(held$records), count(held$groups), count(held$k),
            count(held$releases), if (held$releases == 1) "" else "s")
  }
  sprintf("<kanon_state %s: %s>", x$path, said)
}

#' @rdname kanon_state
#' @export
print.kanon_state <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
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

# What a change did, without the bytes of a release.
figures_of <- function(done) done[names(done) != "bytes"]
