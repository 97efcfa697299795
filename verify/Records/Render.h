// Renders records as a table, CSV, JUnit XML and JSON.
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// A table for a terminal: a line for each tensor, then the tensors that were left out, and a summary.
std::string asTable(const std::vector<Json> &records);
// CSV with one row for each tensor; columns are named like the fields of records.
std::string asCsv(const std::vector<Json> &records);
// JUnit XML for CI systems with one test case for each tensor, and one suite for each run if there are
// several.
std::string asJUnit(const std::vector<Json> &records);
struct NamedRun {
  std::string name;
  const std::vector<Json> *records; // records of the run; null if the run failed with `error`
  std::string error = {};           // the error that ended the run before it had records
};
std::string asJUnit(const std::vector<NamedRun> &runs);
// The JSON document that --json prints: the results of the run, without the cells of the histograms
// (Plane.h) and without drawings.
Json documentOf(const std::vector<Json> &records);
std::string asDocument(const std::vector<Json> &records);
// Joins several lines of text into one and escapes unprintable characters.
std::string inOneLine(std::string_view text);
// The numbers of tensors by status, such as "57 tensors: 56 match, 1 mismatch", and how many emitted layers
// were checked in floats ("as emitted") and in their precision ("as rounded").
std::string summaryLine(const std::vector<Json> &records);

} // namespace tilerig::verify
