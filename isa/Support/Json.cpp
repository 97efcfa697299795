#include "isa/Support/Json.h"

TILERIG_JSON(, <>)
TILERIG_JSON(, <nlohmann::ordered_map>)
