#' What a release really satisfies
#'
#' Reads a released table, whichever tool made it, and finds the size of its smallest class, the risk of its records, and
#' what its sensitive columns reach. What was asked and cannot be counted never holds, nor does a release with a column that
#' has no role: give it one, or say `default_role = "insensitive"`. Cells that differ are different, unless `same` says that
#' texts are one.
#'
#' @param x A released table: a data frame, or a stream of nanoarrow. `NA` means any value in a quasi column.
#' @param ... Columns and requirements, as in [kanonymise()].
#' @param k The k that it must have; 0: what the schema says.
#' @param risk_threshold Above this a record is at risk; 0: 0.2.
#' @param original The table that it was made of: each record is compared with its row, by `key`, in order or as a multiset, and
#'   persons are counted. As all tables here: a data frame, a stream of nanoarrow, or the path of a file.
#' @param earlier A release before this one, or a list of them: records that are in one class in each of them must be k.
#' @param population People of whom somebody may know the quasi columns: how many of them fit each row.
#' @param progress Show how far the work is, on standard error.
#' @return An object of class `kanon_check`, a list: `holds`, `k`, `classes`, `highest_risk`, `violated`, ...; `findings` and
#'   `compared`, data frames, are what the other tables show.
#' @examples
#' released <- data.frame(age = c("[20..29]", "[20..29]", "35"), disease = c("flu", "cold", "flu"))
#' check_release(released, quasi = "age", sensitive = "disease", k = 2)
#' @export
check_release <- function(x, ..., k = 0, risk_threshold = 0, original = NULL, earlier = NULL, population = NULL,
                          progress = FALSE) {
  check_dots("check_release", ...)
  schema <- make_schema(...)
  given <- function(table) if (is.null(table) || is.character(table)) table else stream_of(table)
  is_list <- is.list(earlier) && !is.data.frame(earlier) && !inherits(earlier, "nanoarrow_array_stream")
  several <- if (is_list || is.character(earlier)) as.list(earlier) else if (is.null(earlier)) list() else list(earlier)
  found <- .Call(C_check, schema, stream_of(x), list(
    k = k, risk_threshold = risk_threshold, progress = progress, original = given(original), population = given(population),
    earlier = lapply(several, given), key = as.character(list(...)$key)
  ))
  found$findings <- as.data.frame(found$findings)
  found$compared <- as.data.frame(found$compared)
  found$figures <- as.data.frame(found$figures)
  found$constraints <- as.data.frame(found$constraints)
  found$verdict <- as.data.frame(found$verdict)
  structure(found, class = "kanon_check")
}

#' @export
print.kanon_check <- function(x, ...) {
  verdict <- if (!x$asked) "nothing was asked" else if (x$holds) "what was asked holds" else "what was asked does not hold"
  cat(sprintf("<kanon_check: k = %s, %s classes; %s>\n", count(x$k), count(x$classes), verdict))
  for (text in x$violated) cat("  violated:", text, "\n")
  for (text in x$not_shown) cat("  cannot be seen:", text, "\n")
  for (text in x$findings$sentence[x$findings$mark %in% c("met", "look")]) cat("  compared:", text, "\n")
  for (text in x$warnings) cat("  warning:", text, "\n")
  invisible(x)
}
