#' Trees of categories
#'
#' `build_taxonomy()` makes a tree from the values of a column, `check_taxonomy()` finds what is wrong with one. A tree is a data
#' frame with the path from a value to the root in each row; [kanonymise()] takes it: `taxonomies = list(zip = tree)`.
#'
#' @param x The values: a vector.
#' @param widths Bands of numbers of these widths, each a multiple of the one before: `c(5, 20)`.
#' @param frequencies So many bands of numbers with about as many records each, the finest level first: `c(16, 4)`.
#' @param dates Dates to `"month"`, `"quarter"`, `"year"`, `"decade"`: one or more of them in this order.
#' @param mask Mask one character per level, from the `"right"` or the `"left"`.
#' @param prefixes The first so many characters, the longest prefix first: `c(3, 1)`.
#' @param rare Put the values of fewer records than this below a node "other".
#' @param tree A taxonomy: the path of a file, a nested list, or a data frame with a path in each row.
#' @return `build_taxonomy()` a data frame; `check_taxonomy()` an object of class `kanon_taxonomy_check`, a list: `lines`,
#'   `leaves`, `errors` (how many kinds of them) and `findings`, a data frame. No finding holds a value.
#' @examples
#' tree <- build_taxonomy(c("79098", "79100", "80331"), prefixes = c(3, 1))
#' tree
#' check_taxonomy(tree, c("79098", "10115"))
#' @export
build_taxonomy <- function(x, widths = NULL, frequencies = NULL, dates = NULL, mask = NULL, prefixes = NULL, rare = NULL) {
  ways <- list(widths = widths, frequencies = frequencies, dates = dates, mask = mask, prefixes = prefixes, rare = rare)
  ways <- ways[lengths(ways) > 0]
  if (length(ways) != 1) {
    usage_error(if (length(ways) == 0) "give one" else "give only one", " of widths, frequencies, dates, mask, prefixes and rare")
  }
  csv <- rawToChar(.Call(C_taxonomy_build, values_csv(x), names(ways), setting_text(ways[[1]])))
  Encoding(csv) <- "UTF-8"
  paths <- utils::read.table(text = csv, sep = ";", quote = "\"", comment.char = "", colClasses = "character", na.strings = "",
                             encoding = "UTF-8", fill = TRUE)
  stats::setNames(paths, c("value", sprintf("level%d", seq_len(ncol(paths) - 1))))
}

#' @rdname build_taxonomy
#' @export
check_taxonomy <- function(tree, x = NULL) {
  path <- tree
  if (!is.character(tree) || length(tree) != 1) {
    path <- tempfile(fileext = ".csv")
    on.exit(unlink(path))
    writeLines(taxonomy_csv(tree), path, sep = "", useBytes = TRUE)
  }
  found <- .Call(C_taxonomy_check, path, if (!is.null(x)) values_csv(x))
  found$findings <- as.data.frame(found$findings)
  structure(found, class = "kanon_taxonomy_check")
}

#' @export
print.kanon_taxonomy_check <- function(x, ...) {
  verdict <- if (x$errors == 0) "it can be used" else "it cannot be used"
  cat(sprintf("<kanon_taxonomy_check: %s leaves; %s>\n", count(x$leaves), verdict))
  for (i in seq_len(nrow(x$findings))) {
    one <- x$findings[i, ]
    cat(sprintf("  %s: %s, %s\n", if (one$is_error) "error" else "to look at", count(one$count), one$text))
  }
  invisible(x)
}

# The values as a CSV file with one column.
values_csv <- function(x) {
  if (!is.atomic(x)) usage_error("x is a vector of values")
  texts <- if (is.numeric(x) && !is.factor(x) && !inherits(x, c("Date", "difftime"))) number_texts(x) else as.character(x)
  texts[is.na(texts)] <- ""
  charToRaw(paste0(c("value", paste0('"', gsub('"', '""', enc2utf8(texts)), '"'), ""), collapse = "\n"))
}

number_texts <- function(x) ifelse(is.na(x), NA, number_text(ifelse(is.na(x), 0, x)))

taxonomy_csv <- function(tree) {
  paths <- if (is.data.frame(tree) || is.matrix(tree)) table_paths(tree) else list_paths(tree)
  quoted <- function(path) paste0('"', gsub('"', '""', enc2utf8(path)), '"', collapse = ";")
  paste0(paste(vapply(paths, quoted, ""), collapse = "\n"), "\n")
}
