#' What a release loses, whichever tool made it
#'
#' @inheritParams arguments
#' @param x The table: a data frame, or a stream of nanoarrow.
#' @param release The release: a data frame, a stream of nanoarrow, or the path of a file. Its records may be in any order;
#'   those that it lacks count as suppressed.
#' @param ... Columns and requirements, as in [kanonymise()].
#' @param k The k that the release is compared with; 0: what the schema says.
#' @param settings Settings of measures, such as `c(r = 0.7)`.
#' @return A data frame with the columns name, column (`NA`: the whole table), value and formula, as [measures()] gives it.
#'   `unknown_cells` counts those that could not be read.
#' @examples
#' people <- data.frame(age = c(23, 25, 41, 44))
#' other <- data.frame(age = c("20-29", "20-29", "40-49", "40-49"))
#' evaluate_release(people, other, quasi = "age")[1:5, ]
#' @export
evaluate_release <- function(x, release, ..., k = 0, settings = NULL, threads = NULL, strict = FALSE, progress = FALSE) {
  check_dots("evaluate_release", ...)
  threads <- thread_count(threads)
  loaded <- load_table(x, list(...), threads, 0, strict, progress)
  given <- if (is.character(release) && length(release) == 1) release else stream_of(release)
  as.data.frame(.Call(C_evaluate_release, loaded$table, loaded$schema, given,
                      list(k = k, settings = settings_text(settings), threads = threads, progress = progress)))
}

#' Whether a certificate proves its bound
#'
#' Verifies what [bound()] wrote as `certificate`, with code of its own.
#'
#' @inheritParams arguments
#' @param x The table that the certificate is about: a data frame, or a stream of nanoarrow.
#' @param path The certificate.
#' @param ... Columns and requirements, as in [kanonymise()].
#' @return An object of class `kanon_certificate`, a list: `holds`, `records`, `k`, `lower_bound` and, where it does not hold,
#'   the `reason`.
#' @examplesIf kanon_about()$reports
#' people <- data.frame(age = c(23, 25, 41, 44))
#' path <- tempfile(fileext = ".json")
#' invisible(bound(people, quasi = "age", k = 2, certificate = path))
#' check_certificate(people, path, quasi = "age")
#' unlink(path)
#' @export
check_certificate <- function(x, path, ..., threads = NULL, strict = FALSE, progress = FALSE) {
  check_dots("check_certificate", ...)
  threads <- thread_count(threads)
  loaded <- load_table(x, list(...), threads, 0, strict, progress)
  structure(class = "kanon_certificate",
            .Call(C_certificate_check, loaded$table, list(path = path, threads = threads, progress = progress)))
}

#' @export
print.kanon_certificate <- function(x, ...) {
  verdict <- if (x$holds) "holds" else paste("does not hold:", x$reason)
  cat(sprintf("<kanon_certificate: k = %s, no grouping loses less than %s; it %s>\n", count(x$k),
              format(x$lower_bound, digits = 6), verdict))
  invisible(x)
}
