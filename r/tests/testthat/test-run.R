test_that("handles that were saved, freed or are something else are refused", {
  rel <- grouped(k = 5)
  file <- tempfile()
  saveRDS(rel, file)
  expect_error(groups(readRDS(file)), "another session", class = "kanon_usage")
  rel$handles$grouping <- rel$handles$table
  expect_error(groups(rel), class = "kanon_usage")
  rel$handles$grouping <- "text"
  expect_error(groups(rel), class = "kanon_usage")
})

test_that("calls in forked children work", {
  skip_on_os("windows")
  expected <- groups(grouped(k = 5))
  found <- parallel::mclapply(1:4, function(i) groups(grouped(k = 5, threads = 2)), mc.cores = 2)
  for (one in found) expect_identical(one, expected)
})

test_that("an interrupt stops the work, R goes on, and nothing stays behind", {
  skip_on_os("windows")
  skip_if(!file.exists("/proc/self/status"), "no /proc")
  child <- rscript(c(
    "set.seed(1); n <- 300000", # far more than can be done while the test waits
    "x <- as.data.frame(lapply(1:6, function(i) rnorm(n))); names(x) <- letters[1:6]",
    "r <- tryCatch(kanonymise(x, quasi = names(x), k = 7, algorithm = 'kmember', settings = c(search = 'scan'),",
    "              blocks = -1, threads = 2, progress = TRUE), interrupt = function(i) 'interrupted')",
    "rm(x); invisible(gc())",
    "cat(if (is.character(r)) r else 'done', kanon_live(), length(list.files('/proc/self/task')), '\\n')"
  ))
  pid_file <- tempfile()
  out <- tempfile()
  system(sprintf("sh -c 'echo $$ >%s; exec %s %s >%s 2>&1' &", pid_file, child$command, child$file, out))
  for (i in 1:600) { # the progress on standard error says when records are being grouped
    Sys.sleep(0.1)
    if (file.exists(out) && any(grepl("grouping", readLines(out, warn = FALSE)))) break
  }
  pid <- as.integer(readLines(pid_file))
  tools::pskill(pid, tools::SIGINT)
  for (i in 1:1200) { # a busy machine may take its time; whoever waits that long presses the key again
    if (!file.exists(sprintf("/proc/%d/exe", pid))) break
    if (i %% 300 == 0) tools::pskill(pid, tools::SIGINT)
    Sys.sleep(0.1)
  }
  tools::pskill(pid, tools::SIGKILL)
  said <- paste(readLines(out, warn = FALSE), collapse = " ")
  expect_match(substring(said, nchar(said) - 99), "interrupted 0 1 ")
})

test_that("a thousand calls do not grow", {
  skip_if(!file.exists("/proc/self/status"), "no /proc")
  x <- people(100)
  call_once <- function() {
    rel <- grouped(x, k = 4, threads = 1)
    as.data.frame(rel)
    try(kanonymise(x, quasi = "age", k = 2, strict = TRUE), silent = TRUE)
  }
  for (i in 1:200) call_once()
  gc()
  before <- resident()
  for (i in 1:800) call_once()
  gc()
  expect_lt(resident() - before, 4000) # kB; a table that stays takes 5 kB
})
