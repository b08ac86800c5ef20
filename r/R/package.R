#' kanon: k-anonymity by clustering
#'
#' Groups similar records of a table and generalises each group until every record is like at least k - 1 others.
#' Start with [kanonymise()], or with [propose_schema()] where the roles of columns are open; [check_release()] finds what a
#' release really satisfies, [tradeoff()] helps to choose k, and [kanon_state()] keeps a table that changes.
#'
#' Long calls use half of the processors; `options(kanon.threads = 4)` sets another number. Two are used where
#' `R CMD check` limits them. Ctrl-C stops a call, and nothing stays behind.
#'
#' @keywords internal
#' @useDynLib kanon, .registration = TRUE
"_PACKAGE"

#' Objects of the library that are alive
#'
#' For tests: 0 after everything was removed and [gc()] was called.
#'
#' @return A number.
#' @keywords internal
#' @export
kanon_live <- function() .Call(C_live)

#' What the library has to offer
#'
#' `kanon_catalogue()` lists the algorithms, refinements, privacy models and measures. `kanon_about()` says which version
#' of the library is inside the package and which parts it was built with.
#'
#' @return A data frame with the columns kind, name and text; a list.
#' @examples
#' head(kanon_catalogue())
#' kanon_about()$version
#' @export
kanon_catalogue <- function() as.data.frame(.Call(C_catalogue))

#' @rdname kanon_catalogue
#' @export
kanon_about <- function() .Call(C_about)

# How many threads a call may use: what the user says, the option, or half of the processors; 2 under R CMD check.
thread_count <- function(threads = NULL) {
  if (is.null(threads)) threads <- getOption("kanon.threads")
  if (is.null(threads)) threads <- max(1L, as.integer(processors() %/% 2L))
  limit <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_"))
  if (nzchar(limit) && limit != "false") threads <- min(2L, threads)
  threads
}

processors <- function() {
  n <- suppressWarnings(as.integer(Sys.getenv("OMP_THREAD_LIMIT", NA)))
  found <- parallel::detectCores()
  if (is.na(found)) found <- 2L
  if (is.na(n)) found else min(n, found)
}
