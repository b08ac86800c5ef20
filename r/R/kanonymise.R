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
#' @param x A data frame, tibble or data.table; a formula, with `data`; an object of class `sdcMicroObj`; a stream of
#'   class `nanoarrow_array_stream`, or anything that nanoarrow makes one of.
#' @param k How many records at least are alike.
#' @param data The table, where `x` is a formula.
#' @param ... Columns and requirements: see [columns_and_requirements].
#' @param algorithm,settings,refine,refine_settings,effort How records are grouped: see [kanon_catalogue()]. Settings are
#'   named: `c(ties = "relaxed")`.
#' @param suppress The share of the records that may be suppressed where that lowers the loss. They are not in the release
#'   unless `suppressed = "keep"` is said: see [columns_and_requirements].
#' @param recode `"record"`: each group shows what it holds; `"attribute"`: equal values are shown equal everywhere.
#' @param numeric How numbers and dates are released: `"columns"` makes two columns `NAME_min` and `NAME_max`,
#'   `"interval"` one of texts such as `[20..29]`, `"mean"` the mean of the group.
#' @param shuffle Release the records in the order of a hash of their released cells, which tells nothing about that of the
#'   table.
#' @param shuffle_seed The number that names the hash; where it is given, the release is shuffled.
#' @param seed A whole number from 0 to 2^53 - 1; the same seed gives the same groups.
#' @param threads How many threads are used, by default half of the processors; the result does not depend on it.
#' @param blocks Group a very large table in blocks of at least so many records; 0: only where that is needed; -1: never.
#' @param memory The bytes that may be used; 0: any number.
#' @param strict Whether a column without a role is an error; else it is withheld, with a warning.
#' @param progress Show how far the work is, on standard error.
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
kanonymise.default <- function(x, k = 0, ..., algorithm = NULL, settings = NULL, refine = NULL, refine_settings = NULL,
                               effort = NULL, suppress = NULL, recode = c("record", "attribute"),
                               numeric = c("columns", "interval", "mean"), shuffle = FALSE, shuffle_seed = NULL, seed = 0,
                               threads = NULL, blocks = 0, memory = 0, strict = FALSE, progress = FALSE) {
  check_dots("kanonymise", ...)
  order <- release_order(shuffle, shuffle_seed)
  recode <- one_of(recode, option_words$recode, "recode")
  numeric <- one_of(numeric, option_words$numeric, "numeric")
  check_words(list(effort = effort))
  threads <- thread_count(threads)
  form <- frame_form(x)
  loaded <- load_table(x, threads, memory, strict, progress, ...)
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

#' Columns and requirements
#'
#' What [kanonymise()], [improve()], [check_release()], [bound()] and [tradeoff()] take to know the columns of a table and what is asked
#' of the groups.
#'
#' @param schema The path of a schema file; what the other arguments say wins over it.
#' @param quasi,sensitive,identifying,insensitive Names of columns, by role.
#' @param types `c(age = "integer")`: integer, decimal, date, categorical or ordinal, where it is not that of the column.
#' @param orders `list(school = c("none", "primary", "secondary"))`: the levels of a column from the lowest to the highest.
#' @param weights `c(age = 2)`: how much the loss in a column counts.
#' @param taxonomies Trees of categories by column: the path of a taxonomy file, a nested list
#'   (`list(any = list(viral = c("HIV", "flu"), cancer = NULL))`), or a data frame with the path from the leaf to the root
#'   in each row.
#' @param masks `c(zip = "right")`: characters are masked one by one, from the right or the left.
#' @param bands,top,bottom `list(age = 5)`, `c(age = 90)`: released intervals have only ends of bands; numbers from `top`
#'   on, and up to `bottom`, are one band. Bands are a width, several edges, or of dates `"month"`, `"year"`, ...
#' @param formats `c(born = "\%d.\%m.\%Y")`: how the dates of columns of text are written.
#' @param decimal,thousands The separators of numbers in columns of text, for all columns (`","`) or by column
#'   (`c(price = ",")`).
#' @param missing Texts that mean "no value", in addition to the empty text; `NA` always does.
#' @param empty `"value"`: the empty text is a value like others; `"missing"`, the default: it means "no value".
#' @param same Texts that are one for [check_release()]: `c("?", "NA")`, or a list of such vectors.
#' @param constraints More requirements on the groups: texts such as `"model=distinct-l-diversity,attribute=disease,l=3"`,
#'   or a list of named lists.
#' @param suppressed `"drop"` (the default) leaves suppressed records out of the release; `"keep"` releases them with `NA` in
#'   their quasi columns, if they are a class that satisfies everything, and else suppresses none.
#' @param entity,entity_together The column that says whose record it is: groups hold k different persons; with
#'   `entity_together` all records of a person are in one group.
#' @param key The columns that name a record in a state.
#' @param default_role The role of columns that are not named; without it they are withheld.
#' @name columns_and_requirements
NULL

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
      by_column <- name %in% c("types", "masks") # without names of columns another error says so
      if (!is.null(value) && !by_column) one_of(value, option_words[[name]], name)
    } else {
      for (column in names(value)) one_of(value[[column]], option_words[[name]], paste0(name, ": ", column))
    }
  }
}

# Schema and table as handles. The arguments in ... are those of make_schema.
load_table <- function(x, threads, memory, strict, progress, ...) {
  schema <- schema_from(x, ...)
  default_role <- list(...)$default_role
  options <- list(strict = isTRUE(strict), memory = memory, threads = threads, progress = progress)
  warnings <- if (is.data.frame(x) && .row_names_info(x) > 0L) "row names are not released" else character()
  is_withheld <- function(name) {
    role <- .Call(C_schema_role, schema, name)
    identical(role, "identifying") || (is.null(role) && !identical(default_role, "insensitive"))
  }
  stream <- stream_of(with_levels(x, schema), is_withheld)
  list(schema = schema, table = .Call(C_table_import, schema, stream, options), warnings = warnings)
}

schema_from <- function(x, ...) {
  make_schema(...)
}
