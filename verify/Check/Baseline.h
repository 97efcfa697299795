// What changed since an earlier check: its records beside those of now.
//
//   new       wrong now, and was right, or was not there
//   fixed     right now, and was wrong
//   changed   as right or wrong as it was, with other figures or other status: another rounding, other bits
//   gone      was there, and is no more
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// Records of the kind `baseline`: `name`, `of` (the kind of record), `change`, `before` and `now` in words.
// In the order of now; what is gone comes last.
std::vector<Json> compareWithBaseline(const std::vector<Json> &now, const std::vector<Json> &before);

// The records of an earlier run: a file of them, or the folder of its report. Refuses those of a run that did
// not come to its end, the summary, as what they lack would count as new or as gone.
Result<std::vector<Json>> readBaseline(const std::string &path);

} // namespace tilerig::verify
