#' Make groups better that are there already
#'
#' Searches for groups that lose less information and satisfy the same, beginning with groups that any tool may have made.
#' The result never loses more than what it began with.
#'
#' @inheritParams kanonymise
#' @param x The table: a data frame, or a stream of nanoarrow.
#' @param groups The number of the group of each record, 0 for a suppressed one; or an earlier release of [kanonymise()].
#' @param release In place of `groups`: the path of a release of the table by any tool, its records in the same order.
#'   Records that look alike are a group.
#' @param repair Change groups that do not satisfy what is asked, as far as that takes; else they are refused.
#' @param refine,refine_settings,effort How the groups are made better: see [kanon_catalogue()].
#' @return An object of class `kanon_release`, as [kanonymise()] gives it.
#' @examples
#' people <- data.frame(age = c(23, 41, 25, 44))
#' as.data.frame(improve(people, groups = c(1, 1, 2, 2), quasi = "age", k = 2))
#' @export
improve <- function(x, groups = NULL, release = NULL, k = 0, ..., repair = FALSE, refine = NULL, refine_settings = NULL,
                    effort = NULL, suppress = NULL, numeric = c("columns", "interval", "mean"), shuffle = FALSE,
                    shuffle_seed = NULL, seed = 0, threads = NULL, memory = 0, strict = FALSE, progress = FALSE) {
  check_dots("improve", ...)
  order <- release_order(shuffle, shuffle_seed)
  numeric <- one_of(numeric, option_words$numeric, "numeric")
  check_words(list(effort = effort))
  if (is.null(groups) == is.null(release)) {
    usage_error("give the groups to begin with: either groups or release")
  }
  threads <- thread_count(threads)
  form <- frame_form(x)
  loaded <- load_table(x, list(...), threads, memory, strict, progress)
  start <- start_groups(loaded, groups, release)
  grouping <- .Call(C_anonymise, loaded$table, list(
    k = k, refine = refine, refine_settings = settings_text(refine_settings), effort = effort,
    suppress = if (!is.null(suppress)) setting_text(suppress), seed = seed_number(seed), threads = threads, memory = memory,
    start = start, repair = repair, progress = progress
  ))
  new_release(loaded, grouping, form, numeric, order, threads)
}

start_groups <- function(loaded, groups, release) {
  if (!is.null(release)) return(.Call(C_grouping_from_release, loaded$table, loaded$schema, release))
  if (inherits(groups, "kanon_release")) groups <- .Call(C_grouping_rows, own(groups)$handles$grouping)
  if (!is.numeric(groups)) usage_error("groups has a whole number for each record")
  .Call(C_grouping_new, loaded$table, as.numeric(groups))
}
