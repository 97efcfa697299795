// A temporary folder that is deleted when its object is destroyed.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>

namespace tilerig::compiler {

class ScratchFolder {
public:
  // Creates a folder with a name like "tilerig-calibration-…" in the system's folder for temporary files
  // (TMPDIR).
  static Result<ScratchFolder> create();

  ScratchFolder(ScratchFolder &&other) noexcept;
  ScratchFolder &operator=(ScratchFolder &&) = delete;
  ~ScratchFolder();

  const std::string &path() const { return folder; }

private:
  explicit ScratchFolder(std::string folder) : folder(std::move(folder)) {}
  std::string folder; // path of the folder; empty if another object has taken over the folder
};

} // namespace tilerig::compiler
