// A folder for files on their way, gone with the value.
#pragma once

#include "isa/Support/Error.h"

#include <string>

namespace tilerig {

class ScratchFolder {
public:
  // "tilerig-calibration-…" in the system's temporary folder, which TMPDIR names.
  static Result<ScratchFolder> create();

  ScratchFolder(ScratchFolder &&other) noexcept;
  ScratchFolder &operator=(ScratchFolder &&) = delete;
  ~ScratchFolder();

  const std::string &path() const { return folder; }

private:
  explicit ScratchFolder(std::string folder) : folder(std::move(folder)) {}
  std::string folder; // empty once moved from
};

} // namespace tilerig
