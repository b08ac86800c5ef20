/* What the hints of the library mean on the command line. The library speaks of schemas and options, because programs,
 * bindings and web pages use it; only this program knows which flag or command sets an option. */
#ifndef KANON_CLI_HINTS_H
#define KANON_CLI_HINTS_H

/* What to do on the command line about a kanon_error.topic (may be NULL): a clause to stand after the hint of the library;
 * "" where there is nothing to add. */
const char *hint_about(const char *topic);

#endif
