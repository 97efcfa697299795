#include "tests/support/Folders.h"

namespace tilerig::test {

std::string sourceFolder() { return TILERIG_SOURCE_FOLDER; }

std::string examplePrograms() { return TILERIG_EXAMPLE_PROGRAMS; }

} // namespace tilerig::test
