// Records as people and other programs like them.
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// For a terminal: a line for each tensor, then what was left out and a summary.
std::string asTable(const std::vector<Json> &records);
// One row for each tensor, the columns named as the fields of records.
std::string asCsv(const std::vector<Json> &records);
// One test case for each tensor, as CI systems read it; several runs, each with its name, are as many suites.
std::string asJUnit(const std::vector<Json> &records);
struct NamedRun {
  std::string name;
  const std::vector<Json> *records; // null where there was no run:
  std::string error = {};           // why
};
std::string asJUnit(const std::vector<NamedRun> &runs);
// The document of --json: what the run found, without the cells of the planes.
Json documentOf(const std::vector<Json> &records);
std::string asDocument(const std::vector<Json> &records);
// What is said in several lines, in one, and printable.
std::string inOneLine(std::string_view text);
// "57 tensors: 56 match, 1 mismatch", and of layers as emitted and as rounded likewise.
std::string summaryLine(const std::vector<Json> &records);

} // namespace tilerig::verify
