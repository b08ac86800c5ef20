#' Plots of releases and trade-offs
#'
#' @param x A release of [kanonymise()], or a curve of [tradeoff()].
#' @param what `"sizes"`: how many groups have which size; `"loss"`: the loss by column.
#' @param y Not used.
#' @param ... For [graphics::barplot()] or [graphics::plot()].
#' @return `x`, invisibly.
#' @export
plot.kanon_release <- function(x, y, what = c("sizes", "loss"), ...) {
  if (one_of(what, c("sizes", "loss"), "what") == "sizes") {
    of <- groups(x)
    sizes <- table(tabulate(of[of > 0]))
    graphics::barplot(sizes, xlab = "records in a group", ylab = "groups", ...)
  } else {
    all <- measures(x)
    loss <- all[!is.na(all$column) & all$name == loss_figure(all), ]
    graphics::barplot(stats::setNames(loss$value, loss$column), ylab = gsub("_", " ", loss$name[1]), ...)
  }
  invisible(x)
}

loss_figure <- function(all) {
  own <- unique(all$name[!is.na(all$column)])
  c(intersect(c("avg_loss", "average_loss", "information_loss"), own), grep("loss", own, value = TRUE))[1]
}

#' @rdname plot.kanon_release
#' @export
plot.kanon_tradeoff <- function(x, y, ...) {
  there <- x[x$result != "infeasible", ]
  graphics::plot(there$highest_risk, there$information_loss, xlab = "highest risk", ylab = "information loss",
                 pch = ifelse(there$result == "optimal", 19, 1), ...)
  # to the left of points in the right half, where a label would be cut off
  right <- there$highest_risk > mean(range(there$highest_risk))
  graphics::text(there$highest_risk, there$information_loss, labels = paste("k =", there$k), pos = ifelse(right, 2, 4),
                 cex = 0.8)
  invisible(x)
}
