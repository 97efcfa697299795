#include "isa/Base/Tensor/Spill.h"

#include "isa/Base/Support/File.h"

#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

namespace tilerig {

namespace {

// A new file without a name in the folder for temporary files: nothing of it is left, even if the process is killed. A
// mapping of it stays valid.
class ScratchFile {
public:
  ScratchFile() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "tilerig-XXXXXX").string();
    descriptor = error ? -1 : ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor >= 0)
      ::unlink(path.c_str());
  }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  bool write(std::span<const std::byte> bytes) const {
    while (descriptor >= 0 && !bytes.empty()) {
      const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count <= 0)
        return false;
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
    return descriptor >= 0;
  }
  Result<MappedFile> map() const { return MappedFile::open(fmt::format("/proc/self/fd/{}", descriptor)); }

private:
  int descriptor = -1;
};

} // namespace

Tensor spilled(const Tensor &tensor, size_t fromBytes) {
  if (tensor.sizeBytes() < fromBytes || tensor.isView())
    return tensor;
  const ScratchFile scratch;
  if (!scratch.write(tensor.bytes()))
    return tensor;
  Result<MappedFile> mapped = scratch.map();
  if (!mapped)
    return tensor;
  const auto file = std::make_shared<const MappedFile>(*std::move(mapped));
  const Result<Tensor> view = Tensor::view(tensor.dtype(), tensor.shape(), file->bytes(), file);
  return view ? *view : tensor;
}

Tensor LimitedMemory::keep(const Tensor &tensor) {
  if (tensor.isView())
    return tensor;
  if (tensor.sizeBytes() > left)
    return spilled(tensor, viewFromBytes);
  left -= tensor.sizeBytes();
  return tensor;
}

} // namespace tilerig
