// Compares the records of a check with those of an earlier check (the baseline) and states what changed.
//
//   new       wrong now; was right, or did not exist
//   fixed     right now; was wrong
//   changed   right or wrong as before, but with other metrics or status; or right now and absent before
//   gone      existed in the baseline and no longer exists
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// Returns a record of the kind `baseline` for each difference between `before` and `now`: `name`, `of` (the
// kind of record), `change`, and the states `before` and `now` in words. The records are in the order of
// `now`; entries that are missing in `now` come last.
std::vector<Json> compareWithBaseline(const std::vector<Json> &now, const std::vector<Json> &before);

// Reads the records of an earlier run from a records file or from the folder of its report. Refuses an
// interrupted run (one without the summary record), because its records are incomplete.
Result<std::vector<Json>> readBaseline(const std::string &path);

} // namespace tilerig::verify
