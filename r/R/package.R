#' @keywords internal
#' @useDynLib kanon, .registration = TRUE
"_PACKAGE"
