# Puts the C sources of the library below src/libkanon, where the package is built from: Rscript bootstrap.R [FOLDER]
# With a folder, the package is copied there first and the working tree stays as it is.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
package <- normalizePath(dirname(script))
root <- dirname(package)
target <- commandArgs(trailingOnly = TRUE)

if (length(target) == 1) {
  unlink(target, recursive = TRUE)
  dir.create(target, recursive = TRUE)
  parts <- setdiff(list.files(package, all.files = TRUE, no.. = TRUE), c("bootstrap.R", "check", ".gitignore"))
  stopifnot(file.copy(file.path(package, parts), target, recursive = TRUE, copy.date = TRUE))
  package <- target
}

library <- file.path(package, "src", "libkanon")
unlink(library, recursive = TRUE)
dir.create(library)
stopifnot(file.copy(file.path(root, c("src", "include")), library, recursive = TRUE, copy.date = TRUE))

# The parts that configure can leave out, as the CMakeLists.txt of the library has them: name, module of pkg-config, version,
# what is compiled instead, and which sources need the module.
cmake <- paste(readLines(file.path(root, "CMakeLists.txt")), collapse = " ")
form <- '\\bcomponent\\(KANON_([A-Z]+)\\s+(\\S+)\\s+"([^"]*)"\\s+(\\S+)\\s+"([^"]*)"\\)'
calls <- regmatches(cmake, gregexpr(form, cmake, perl = TRUE))[[1]]
parts <- regmatches(calls, regexec(form, calls, perl = TRUE))
stopifnot(length(parts) >= 4, lengths(parts) == 6)
lines <- vapply(parts, function(p) paste(tolower(p[2]), p[3], sub("^$", "-", p[4]), p[5], p[6]), "")
writeLines(lines, file.path(library, "parts"))

vectors <- file.path(package, "inst", "vectors")
unlink(vectors, recursive = TRUE)
if (dir.exists(file.path(root, "tests", "hosts"))) {
  dir.create(vectors, recursive = TRUE)
  files <- list.files(file.path(root, "tests", "hosts"), full.names = TRUE)
  stopifnot(file.copy(files, vectors, recursive = TRUE))
}

# The version of the package is the version of the library.
description <- file.path(package, "DESCRIPTION")
lines <- readLines(description)
version <- paste("Version:", readLines(file.path(root, "VERSION"), n = 1))
if (!version %in% lines) writeLines(sub("^Version:.*", version, lines), description)
