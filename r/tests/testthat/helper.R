people <- function(n = 60, seed = 1) {
  set.seed(seed)
  data.frame(
    id = sprintf("p%03d", seq_len(n)), age = sample(18:90, n, TRUE), height = round(rnorm(n, 1.7, 0.1), 2),
    zip = sample(c("79098", "79100", "80331", "80333", "10115"), n, TRUE),
    job = factor(sample(c("nurse", "cook", "pilot"), n, TRUE)), born = as.Date("1980-01-01") + sample(9000, n, TRUE),
    disease = sample(c("flu", "cold", "gout", "asthma"), n, TRUE), stringsAsFactors = FALSE
  )
}

grouped <- function(x = people(), ...) {
  kanonymise(x, quasi = c("age", "height", "zip", "job", "born"), identifying = "id", sensitive = "disease", ...,
             masks = c(zip = "right"))
}

# A child process that has this package.
rscript <- function(code) {
  file <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(kanon)", code), file)
  list(command = file.path(R.home("bin"), "Rscript"), file = file)
}

resident <- function() { # kB
  line <- grep("^VmRSS", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}
