// Compares the records of a check with those of an earlier check (the baseline) and states what changed.
//
//   new       wrong now; was right, or did not exist
//   fixed     right now; was wrong
//   changed   right or wrong as before, but with other metrics or status; or right now and absent before
//   gone      existed in the baseline and no longer exists
#pragma once

#include "verify/Records/Record.h"

namespace tilerig::verify {

// Compares the records of a check with those of an earlier check. Returns a record of the kind `baseline` for
// each difference. It has the name and the kind of the record that differs, the kind of the change, and the
// state in each check in words. Records that are missing in the new check come last.
std::vector<Json> compareWithBaseline(const std::vector<Json> &now, const std::vector<Json> &before);

// Reads the records of an earlier run from a records file or from the folder of its report. Refuses an
// interrupted run (one without the summary record), because its records are incomplete.
Result<std::vector<Json>> readBaseline(const std::string &path);

} // namespace tilerig::verify
