#include "isa/Base/Tensor/ExternalData.h"

#include "isa/Base/Support/File.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace tilerig {

namespace fs = std::filesystem;

static bool isInside(const fs::path &path, const fs::path &folder) {
  auto [end, rest] = std::ranges::mismatch(folder, path);
  return end == folder.end() && rest != path.end();
}

static Result<std::string> resolve(const std::string &location, const std::string &folder) {
  fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() ||
      std::ranges::find(relative, "..") != relative.end())
    return invalidInput(
        "",
        fmt::format("the path '{}' of external data does not lie inside the folder of the file", location));
  std::error_code missing;
  fs::path root = fs::canonical(folder, missing);
  fs::path target = missing ? fs::path() : fs::canonical(root / relative, missing);
  if (missing)
    return invalidInput("",
                        fmt::format("external data '{}' cannot be found: {}", location, missing.message()));
  if (!isInside(target, root))
    return invalidInput("",
                        fmt::format("external data '{}' is a link out of the folder of the file", location));
  return target.string();
}

Result<Tensor> loadExternalData(const ExternalData &external, DType type, const Shape &shape,
                                const std::string &folder) {
  if (folder.empty())
    return unsupported("",
                       fmt::format("external data '{}' cannot be found, because the tensor was not read from "
                                   "a file",
                                   external.location));
  TILERIG_TRY(size_t needed, sizeBytesOf(type, shape));
  if (external.length.value_or(needed) != needed)
    return invalidInput("", fmt::format("external data has {} bytes, but {} {} needs {}", *external.length,
                                        nameOf(type), showShape(shape), needed));
  TILERIG_TRY(std::string path, resolve(external.location, folder));
  TILERIG_TRY(MappedFile mapped, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  auto bytes = file->bytes();
  if (external.offset > bytes.size() || needed > bytes.size() - external.offset)
    return invalidInput(path,
                        fmt::format("external data of {} bytes at offset {} is outside the file of {} bytes",
                                    needed, external.offset, bytes.size()));
  return Tensor::view(type, shape, bytes.subspan(external.offset, needed), file);
}

} // namespace tilerig
