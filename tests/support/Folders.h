// The folders that tests read. Only Folders.cpp knows their absolute paths, so that compiler caches can share the
// objects of all other files between checkouts.
#pragma once

#include <string>

namespace tilerig::test {

// The root of the repository.
std::string sourceFolder();

// The example programs of tests/programs, written and generated.
std::string examplePrograms();

} // namespace tilerig::test
