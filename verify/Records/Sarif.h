// Renders records as SARIF, the format in which code review tools and editors take the results of static analysis (OASIS,
// Static Analysis Results Interchange Format 2.1.0).
//
// There is a result for each finding of the analyser, for each trap of another kind, for each tensor that is wrong by itself, and
// for each layer or pass of the compiler that is wrong. The place of a finding is a line of assembly text, if the report has the text of
// its tile; that of all other results is the file of the model. Missing synchronisation is a proposed fix.
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// `folder` is the folder of the report, in which the files are that records name; `file` is the model, or the target of a
// comparison.
std::string asSarif(const std::vector<Json> &records, const std::string &folder, const std::string &file);

} // namespace tilerig::verify
