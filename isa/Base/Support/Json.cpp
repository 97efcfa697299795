#include "isa/Base/Support/Json.h"

TILERIG_JSON(, <>)
TILERIG_JSON(, <nlohmann::ordered_map>)
