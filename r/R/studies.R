#' A lower bound on the loss
#'
#' No grouping of all records into groups of at least k loses less than this.
#'
#' @inheritParams check_release
#' @param x The table: a data frame, or a stream of nanoarrow.
#' @param k How many records at least are alike; 0: what the schema says.
#' @param seconds,rounds Stop improving the bound after about so long; 0: when it has come to rest.
#' @param certificate Where the proof goes, as JSON.
#' @param threads How many threads are used.
#' @param strict Whether a column without a role is an error; else it is left out.
#' @return An object of class `kanon_bound`, a list with `lower_bound`, `records`, `k`, ...
#' @examples
#' people <- data.frame(age = c(23, 25, 41, 44))
#' bound(people, quasi = "age", k = 2)$lower_bound
#' @export
bound <- function(x, ..., k = 0, seconds = 0, rounds = 0, certificate = NULL, threads = NULL, strict = FALSE,
                  progress = FALSE) {
  check_dots("bound", ...)
  threads <- thread_count(threads)
  loaded <- load_table(x, list(...), threads, 0, strict, progress)
  structure(class = "kanon_bound", .Call(C_bound, loaded$table, list(
    k = k, seconds = seconds, rounds = rounds, certificate = certificate, threads = threads, progress = progress
  )))
}

#' @export
print.kanon_bound <- function(x, ...) {
  cat(sprintf("<kanon_bound: k = %s, no grouping loses less than %s>\n", count(x$k), format(x$lower_bound, digits = 6)))
  invisible(x)
}

#' The curve of loss against risk
#'
#' Groups the table with every combination of the values and finds which of them no other beats.
#'
#' @inheritParams bound
#' @param k,suppress The values that are tried.
#' @param algorithm,settings,refine,effort,seed As in [kanonymise()]; a setting may have several values.
#' @param page Also write the curve as a page with plots (`.html`) or as a picture (`.svg`).
#' @return A data frame of class `kanon_tradeoff`: a row for each point, with its place in the grid, `result` (optimal,
#'   dominated or infeasible) and its figures. `from_k` is the k of the groups: groups of a larger k are groups of a smaller
#'   one, too, and those that lose least count. It has a method for [plot()].
#' @examples
#' people <- data.frame(age = c(23, 25, 41, 44, 50, 52), sex = c("f", "m", "f", "f", "m", "m"))
#' tradeoff(people, quasi = c("age", "sex"), k = 2:3)[, c("k", "result", "highest_risk")]
#' @export
tradeoff <- function(x, ..., k = c(2, 5, 10, 25, 50, 100), suppress = NULL, algorithm = NULL, settings = NULL,
                     refine = NULL, effort = NULL, seed = 0, page = NULL, threads = NULL, strict = FALSE,
                     progress = FALSE) {
  check_dots("tradeoff", ...)
  check_words(list(effort = effort))
  threads <- thread_count(threads)
  loaded <- load_table(x, list(...), threads, 0, strict, progress)
  points <- .Call(C_tradeoff, loaded$table, list(
    k = setting_text(k), suppress = if (!is.null(suppress)) setting_text(suppress), algorithm = algorithm,
    settings = settings_text(settings), refine = refine, effort = effort, seed = seed_number(seed), page = page, threads = threads, progress = progress
  ))
  curve <- do.call(rbind, lapply(points, point_row, figures = figure_names(points)))
  structure(curve, class = c("kanon_tradeoff", "data.frame"))
}

# Points that cannot be met have no figures; they get NA for those of the others.
figure_names <- function(points) {
  unique(unlist(lapply(points, function(point) point$figures$name[is.na(point$figures$column)])))
}

point_row <- function(point, figures) {
  place <- as.list(point$settings)
  place <- lapply(place, function(text) utils::type.convert(text, as.is = TRUE))
  whole <- is.na(point$figures$column)
  values <- point$figures$value[whole][match(figures, point$figures$name[whole])]
  from_k <- if (point$from_k > 0) point$from_k else place$k
  as.data.frame(c(place, list(result = point$result), as.list(stats::setNames(values, figures)), list(from_k = from_k)))
}
