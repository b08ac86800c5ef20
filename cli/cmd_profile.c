#include "command.h"
const command command_profile = {.name = "profile"};
