// Temporary files for outputs, named "FILE.PID.N.tmp" in the folder of the FILE that they will replace.
//
// The process that writes a temporary file holds a lock on it (flock), which the kernel releases when the
// process ends for whatever reason. So files left by killed processes can be distinguished from files being
// written: the next process that writes the same FILE removes those that are not locked. Process numbers
// cannot decide this, because they are reused and differ between containers that share a folder.
#pragma once

#include <string>

namespace tilerig {

struct Temporary {
  std::string path; // path of the temporary file; empty if it could not be created (see errno)
  int fd = -1;      // file descriptor, open for writing and locked
};

// Creates a temporary file for `target`, and removes abandoned temporary files of killed processes. Files
// that cannot be removed are ignored.
Temporary createTemporary(const std::string &target);
// Stops tracking a temporary file that has been renamed or that the caller removes. Does not close the file.
void forgetTemporary(const std::string &path);

// Installs handlers for SIGINT, SIGTERM and SIGHUP that remove all temporary files and then let the signal
// end the process. Signals that the process ignores stay ignored.
void removeTemporariesOnSignals();

} // namespace tilerig
