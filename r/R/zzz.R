# Methods of packages that may not be there.
.onLoad <- function(libname, pkgname) {
  register <- function(...) registerS3method("as_nanoarrow_array_stream", "kanon_release", stream_method,
                                             envir = asNamespace("nanoarrow"))
  if (isNamespaceLoaded("nanoarrow")) register()
  setHook(packageEvent("nanoarrow", "onLoad"), register)
}

stream_method <- function(x, ..., schema = NULL) release_stream(x)

.onUnload <- function(libpath) {
  gc() # finalizers are code of this library: while one may still come, it stays loaded
  if (kanon_live() == 0) library.dynam.unload("kanon", libpath)
}
