#' Make a table k-anonymous
#'
#' Groups similar records and generalises each group until every record is like at least `k - 1` others.
#'
#' Every column has a role. `quasi` columns are generalised, `sensitive` ones are released as they are and protected by the
#' groups, `identifying` ones are never released, and `insensitive` ones are released as they are. A column that nobody
#' named is withheld, with a warning that lists it. Row names are never released.
#'
#' With a formula, what stands on the right is quasi and what stands on the left is sensitive: `disease ~ age + zip`. A dot
#' on the right means all columns that are not named otherwise. Of an object of class `sdcMicroObj` the key variables
#' (`keyVars` and `numVars`) are quasi, `sensibleVar` is sensitive, and `hhId` says whose record it is (and is never
#' released).
#'
#' @inheritParams arguments
#' @param x A data frame, tibble or data.table; a formula, with `data`; an object of class `sdcMicroObj`; a stream of
#'   class `nanoarrow_array_stream`, or anything that nanoarrow makes one of.
#' @param data The table, where `x` is a formula.
#' @param ... For a formula or an `sdcMicroObj`, the other arguments; else nothing may be here.
#' @return An object of class `kanon_release`. `as.data.frame()` gives the released table as the kind of table that came
#'   in, [groups()] the group of each record, [measures()] the figures, [report()] writes a report, [write_release()] a
#'   CSV file. It cannot be saved and loaded: save the released table.
#' @examples
#' people <- data.frame(
#'   age = c(23, 25, 41, 44), zip = c("79098", "79100", "79102", "79104"),
#'   disease = c("flu", "cold", "flu", "angina")
#' )
#' rel <- kanonymise(people,
#'   quasi = c("age", "zip"), masks = c(zip = "right"), sensitive = "disease", k = 2
#' )
#' rel
#' as.data.frame(rel)
#' kanonymise(disease ~ age + zip, data = people, k = 2)
#' @export
kanonymise <- function(x, ...) UseMethod("kanonymise")

#' @rdname kanonymise
#' @export
kanonymise.default <- function(
  x,
  # generated: anonymize
  k = 0, quasi = NULL, ..., sensitive = NULL, identifying = NULL, insensitive = NULL, schema = NULL,
  default_role = NULL, taxonomies = NULL, bands = NULL, top = NULL, bottom = NULL, masks = NULL,
  weights = NULL, permute = NULL, ends = NULL, types = NULL, orders = NULL, formats = NULL, missing = NULL,
  empty = NULL, decimal = NULL, thousands = NULL, algorithm = NULL, settings = NULL, constraints = NULL,
  entity = NULL, entity_together = FALSE, suppress = NULL, suppressed = NULL, singled_out = NULL, key = NULL,
  refine = NULL, effort = NULL, refine_settings = NULL, recode = c("record", "attribute"), blocks = 0,
  memory = 0, seed = 0, threads = NULL, numeric = c("columns", "interval", "mean"), shuffle = FALSE,
  shuffle_seed = NULL, strict = FALSE, progress = FALSE
  # end
) {
  check_dots("kanonymise", ...)
  order <- release_order(shuffle, shuffle_seed)
  recode <- one_of(recode, option_words$recode, "recode")
  numeric <- one_of(numeric, option_words$numeric, "numeric")
  check_words(list(effort = effort))
  threads <- thread_count(threads)
  form <- frame_form(x)
  loaded <- load_table(x, mget(intersect(names(formals(make_schema)), names(formals(kanonymise.default)))), threads, memory, strict, progress)
  grouping <- .Call(C_anonymise, loaded$table, list(
    k = k, algorithm = algorithm, settings = settings_text(settings), refine = refine,
    refine_settings = settings_text(refine_settings), effort = effort,
    suppress = if (!is.null(suppress)) setting_text(suppress), by_attribute = recode == "attribute",
    seed = seed_number(seed),
    threads = threads, blocks = blocks, memory = memory, progress = progress
  ))
  new_release(loaded, grouping, form, numeric, order, threads)
}

#' @rdname kanonymise
#' @export
kanonymise.formula <- function(x, data, ...) {
  if (missing(data)) usage_error("a formula needs data: kanonymise(disease ~ age + zip, data = people, k = 5)")
  named <- formula_roles(x, data, list(...))
  kanonymise(data, quasi = named$quasi, sensitive = named$sensitive, ...)
}

#' @rdname kanonymise
#' @export
kanonymise.sdcMicroObj <- function(x, ...) {
  given <- list(...)
  named <- sdc_roles(x)
  given$identifying <- c(given$identifying, named$roles$entity)
  do.call(kanonymise, c(list(named$data), given, named$roles[setdiff(names(named$roles), names(given))]))
}

formula_roles <- function(formula, data, given) {
  sides <- as.list(formula)[-1]
  if (!all(setdiff(all.names(formula), all.vars(formula)) %in% c("~", "+", "("))) {
    usage_error("a formula has names of columns and + only: name what is withheld with identifying")
  }
  right <- all.vars(sides[[length(sides)]])
  left <- if (length(sides) == 2) all.vars(sides[[1]]) else character()
  if ("." %in% right) {
    others <- c(left, unlist(given[c("identifying", "insensitive")], use.names = FALSE))
    right <- union(setdiff(right, "."), setdiff(names(data), others))
  }
  list(quasi = if (length(right) > 0) right, sensitive = if (length(left) > 0) left)
}

# The slots of sdcMicro hold numbers of columns; names are taken as well.
sdc_roles <- function(x) {
  data <- as.data.frame(attr(x, "origData", exact = TRUE))
  columns <- function(slot) {
    value <- attr(x, slot, exact = TRUE)
    if (is.numeric(value)) names(data)[value] else if (is.character(value)) value
  }
  roles <- list(quasi = c(columns("keyVars"), columns("numVars")), sensitive = columns("sensibleVar"),
                entity = columns("hhId"))
  list(data = data, roles = roles[lengths(roles) > 0])
}

one_of <- function(value, choices, name) {
  if (!is.character(value) || !value[[1]] %in% choices) {
    raise_failure(1L, paste0(name, ": there is no '", paste(value, collapse = " "), "'"),
                  paste("choose one of:", paste(choices, collapse = ", ")))
  }
  value[[1]]
}

# The arguments that take one of several words, also for each column.
check_words <- function(given) {
  for (name in intersect(names(given), names(option_words))) {
    value <- given[[name]]
    if (is.null(names(value))) {
      by_column <- name %in% c("types", "masks", "ends") # without names of columns another error says so
      if (!is.null(value) && !by_column) one_of(value, option_words[[name]], name)
    } else {
      for (column in names(value)) one_of(value[[column]], option_words[[name]], paste0(name, ": ", column))
    }
  }
}

# Schema and table as handles; `said` are arguments of make_schema.
load_table <- function(x, said, threads, memory = 0, strict = FALSE, progress = FALSE) {
  schema <- do.call(make_schema, said)
  options <- list(strict = isTRUE(strict), memory = memory, threads = threads, progress = progress)
  warnings <- if (is.data.frame(x) && .row_names_info(x) > 0L) "row names are not released" else character()
  is_withheld <- function(name) {
    role <- .Call(C_schema_get, schema, "role", name)
    identical(role, "identifying") || (is.null(role) && !identical(said$default_role, "insensitive"))
  }
  stream <- stream_of(with_levels(x, schema), is_withheld)
  list(schema = schema, table = .Call(C_table_import, schema, stream, options), warnings = warnings,
       default_role = said$default_role)
}
