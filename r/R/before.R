#' A schema for a table
#'
#' Proposes roles, types, masks and bands by the names of the columns and the form of their values. Look at it first: a
#' proposal knows names and forms of values, not what they mean.
#'
#' @inheritParams arguments
#' @param x The table: a data frame, or a stream of nanoarrow.
#' @param bands Propose bands of numbers, too.
#' @param path Where the schema is written as well.
#' @return An object of class `kanon_proposal`, a list: `text`, the schema in YAML with a reason behind each line; `columns`,
#'   a data frame that says what each column was taken for; `k`, `entity`, `key`, `sets` (of columns that single out most),
#'   `notes`. [kanonymise()] takes it as `schema`.
#' @examples
#' people <- data.frame(name = c("Ann", "Bob", "Cid", "Dan"), age = c(23, 25, 41, 44), sex = c("f", "m", "m", "f"))
#' found <- propose_schema(people)
#' found
#' kanonymise(people, schema = found, k = 2)
#' @export
propose_schema <- function(x, bands = TRUE, path = NULL, threads = NULL, progress = FALSE) {
  found <- .Call(C_propose, stream_of(x), list(bands = isTRUE(bands), path = path, threads = thread_count(threads),
                                               progress = progress))
  found$columns <- as.data.frame(found$columns)
  found$sets <- set_frame(found$sets)
  structure(found, class = "kanon_proposal")
}

# A column of lists is kept as it is.
set_frame <- function(sets) {
  columns <- sets$columns
  sets$columns <- seq_along(columns)
  frame <- as.data.frame(sets)
  frame$columns <- vapply(columns, paste, "", collapse = ", ")
  frame
}

#' @export
print.kanon_proposal <- function(x, ...) {
  quasi <- sum(x$columns$role == "quasi")
  cat(sprintf("<kanon_proposal: %d of %d columns are quasi-identifiers, k = %s>\n", quasi, nrow(x$columns), count(x$k)))
  print(x$columns[c("name", "role", "type", "reason")], row.names = FALSE, right = FALSE)
  for (note in x$notes) cat("note:", note, "\n")
  invisible(x)
}

#' @export
format.kanon_proposal <- function(x, ...) x$text

#' @export
as.character.kanon_proposal <- function(x, ...) x$text

#' The risk of a table as it is
#'
#' Whom a table singles out before anything is done, and what k will cost. No figure is a value of the table.
#'
#' @inheritParams arguments
#' @param x The table: a data frame, or a stream of nanoarrow.
#' @param ... Columns and requirements, as in [kanonymise()].
#' @param costs Estimate what k will cost, on a part of the table.
#' @param report Also write all figures to this file, as JSON.
#' @return An object of class `kanon_profile`, a list of figures, with the data frames `sizes` (of classes), `attributes`
#'   (what each quasi column does), `sets` (of columns that single out most), `below` (what is not k-anonymous for k from 2
#'   to 20) and `costs`.
#' @examples
#' people <- data.frame(age = c(23, 23, 41, 44), sex = c("f", "f", "m", "m"))
#' profile_table(people, quasi = c("age", "sex"), costs = FALSE)
#' @export
profile_table <- function(x, ..., costs = TRUE, report = NULL, seed = 0, threads = NULL, strict = FALSE, progress = FALSE) {
  check_dots("profile_table", ...)
  threads <- thread_count(threads)
  loaded <- load_table(x, list(...), threads, 0, strict, progress)
  found <- .Call(C_profile, loaded$table, list(costs = isTRUE(costs), report = report, seed = seed_number(seed),
                                               threads = threads, progress = progress))
  for (name in c("sizes", "attributes", "below", "costs")) found[[name]] <- as.data.frame(found[[name]])
  found$sets <- set_frame(found$sets)
  structure(found, class = "kanon_profile")
}

#' @export
print.kanon_profile <- function(x, ...) {
  cat(sprintf("<kanon_profile: %s records, %s of them unique; k = %s>\n", count(x$records), count(x$unique_records),
              count(x$smallest)))
  if (nrow(x$sets) > 0) print(x$sets, row.names = FALSE, digits = 3)
  if (nrow(x$costs) > 0) print(x$costs, row.names = FALSE, digits = 3)
  invisible(x)
}
