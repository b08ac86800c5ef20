# The cases that every host runs: the same groups, the same released bytes, the same figures as the program.

folder <- system.file("vectors", package = "kanon")
cases <- if (nzchar(folder)) list.dirs(folder, recursive = FALSE) else character()
skips <- if (nzchar(folder)) jsonlite::read_json(file.path(folder, "skips.json"))$r

read_texts <- function(case) {
  utils::read.csv(file.path(case, "table.csv"), colClasses = "character", na.strings = "", check.names = FALSE,
                  encoding = "UTF-8", strip.white = FALSE)
}

# A column in the type that R has for one of pyarrow. R has no whole numbers above 2^53, no decimals with trailing zeros and
# no times without a zone: these stay texts.
typed <- function(texts, type) {
  if (grepl("^u?int", type)) {
    big <- nchar(gsub("[^0-9]", "", texts)) > 15
    if (any(big, na.rm = TRUE)) return(texts)
    numbers <- as.numeric(texts)
    return(if (all(abs(numbers) < 2^31, na.rm = TRUE)) as.integer(numbers) else numbers)
  }
  if (type %in% c("double", "float")) return(as.numeric(texts))
  if (type == "bool") return(texts == "true")
  if (type == "date32") return(as.Date(texts, format = "%Y-%m-%d"))
  if (type == "dictionary") return(factor(texts, levels = unique(texts[!is.na(texts)])))
  if (grepl("tz=UTC", type)) return(as.POSIXct(texts, format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC"))
  texts
}

run_case <- function(case, table, options, threads) {
  numeric <- options$numeric
  options$numeric <- NULL
  if (identical(options$blocks, "auto")) options$blocks <- 0
  options <- lapply(options, unlist) # of each column
  start <- file.path(case, "start.csv")
  if (file.exists(start)) options$groups <- utils::read.csv(start)$group
  act <- if (is.null(options$groups)) kanonymise else improve
  rel <- do.call(act, c(list(table, schema = file.path(case, "schema.yaml"), threads = threads), options))
  list(rel = rel, release = write_release(rel, numeric = if (is.null(numeric)) "interval" else numeric,
                                             shuffle_seed = options$shuffle_seed),
       groups = groups(rel))
}

expect_figures <- function(rel, expected, case) {
  found <- measures(rel)
  one <- function(name, column, value) {
    at <- found$name == name & (if (is.null(column)) is.na(found$column) else found$column %in% column)
    if (is.null(value)) expect_true(!any(at) || !is.finite(found$value[at]), label = paste(case, name, column))
    else expect_equal(found$value[at], value, tolerance = 1e-12, label = paste(case, name, column))
  }
  for (name in names(expected$table)) one(name, NULL, expected$table[[name]])
  for (column in names(expected$columns)) {
    for (name in names(expected$columns[[column]])) one(name, column, expected$columns[[column]][[name]])
  }
}

place_less <- function(message) sub("^([^ ]+:[0-9]+|row [0-9]+): ", "", message)

# `run` is the name of one in the list of the case, or empty.
expect_case <- function(case, run, table, told, threads) {
  name <- paste(basename(case), run)
  options <- utils::modifyList(told$options, if (nzchar(run)) told$each[[run]] else list())
  if (startsWith(name, "error-")) {
    expected <- jsonlite::read_json(file.path(case, "error.json"))
    if (nzchar(run)) expected <- expected[[run]]
    failed <- tryCatch(run_case(case, table, options, threads), kanon_error = identity)
    expect_s3_class(failed, paste0("kanon_", expected$status))
    expect_identical(place_less(failed$reason), place_less(expected$message), label = name)
    expect_identical(failed$topic, expected$topic, label = name)
    return(invisible())
  }
  found <- run_case(case, table, options, threads)
  bytes <- function(file) readBin(file.path(case, file), "raw", 1e7)
  expect_identical(found$groups, utils::read.csv(file.path(case, "groups.csv"))$group, label = paste(name, "groups"))
  expect_identical(rawToChar(found$release), rawToChar(bytes("release.csv")), label = paste(name, "release"))
  expect_figures(found$rel, jsonlite::read_json(file.path(case, "measures.json")), name)
}

test_that("there are cases, and every one is run", {
  skip_if(!nzchar(folder), "the package was built without the cases")
  expect_gt(length(cases), 15)
  runs <- unlist(lapply(cases, function(case) {
    file.path(basename(case), names(jsonlite::read_json(file.path(case, "case.json"))$each))
  }))
  expect_identical(setdiff(names(skips), c(basename(cases), runs)), character())
})

for (case in cases) {
  for (form in c("texts", "typed")) {
    test_that(paste(basename(case), "from", form, "columns is what the program gives"), {
      skip_if_not_installed("jsonlite")
      skip_if(!kanon_about()$yaml, "built without schema files")
      told <- jsonlite::read_json(file.path(case, "case.json"))
      expect_identical(told$format, 1L)
      table <- read_texts(case)
      expect_identical(names(table), names(told$columns))
      if (form == "typed") table[] <- Map(typed, table, told$columns)
      runs <- if (is.null(told$each)) "" else names(told$each)
      runs <- runs[!file.path(basename(case), runs) %in% names(skips)]
      for (run in runs) for (threads in c(1, 3)) expect_case(case, run, table, told, threads)
    })
  }
}
