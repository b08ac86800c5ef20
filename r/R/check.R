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
#' @param progress Show how far the work is, on standard error.
#' @return An object of class `kanon_check`, a list: `holds`, `k`, `classes`, `highest_risk`, `violated`, ...
#' @examples
#' released <- data.frame(age = c("[20..29]", "[20..29]", "35"), disease = c("flu", "cold", "flu"))
#' check_release(released, quasi = "age", sensitive = "disease", k = 2)
#' @export
check_release <- function(x, ..., k = 0, risk_threshold = 0, progress = FALSE) {
  check_dots("check_release", ...)
  schema <- make_schema(...)
  found <- .Call(C_check, schema, stream_of(x), list(k = k, risk_threshold = risk_threshold, progress = progress))
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
  for (text in x$warnings) cat("  warning:", text, "\n")
  invisible(x)
}
