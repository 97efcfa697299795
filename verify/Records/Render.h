// Records as people and other programs like them.
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// For a terminal: a line for each tensor, then what was left out and a summary.
std::string asTable(const std::vector<Json> &records);
// One row for each tensor, the columns named as the fields of records.
std::string asCsv(const std::vector<Json> &records);
// One test case for each tensor, as CI systems read it.
std::string asJUnit(const std::vector<Json> &records);
// The document of --json: what the run found, without the cells of the planes.
std::string asDocument(const std::vector<Json> &records);

} // namespace tilerig::verify
