# Emscripten's toolchain, with one difference: sources are compiled by clang itself, with the flags that emcc would
# give it. emcc takes three times as long to start as clang takes to compile a file. It still links.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
execute_process(COMMAND emcc --cflags OUTPUT_VARIABLE emcc_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_program(KANON_CLANG NAMES clang-14 clang NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(CMAKE_C_COMPILE_OBJECT
    "${KANON_CLANG} ${emcc_flags} <DEFINES> <INCLUDES> <FLAGS> -MD -MT <OBJECT> -MF <DEP_FILE> -o <OBJECT> -c <SOURCE>")
