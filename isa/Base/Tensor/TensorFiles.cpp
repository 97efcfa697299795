#include "isa/Base/Tensor/TensorFiles.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npy.h"
#include "isa/Base/Tensor/Npz.h"
#include "isa/Base/Tensor/PolygraphyJson.h"
#include "isa/Base/Tensor/Safetensors.h"
#include "isa/Base/Tensor/TensorProto.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/core.h>

namespace tilerig {

namespace fs = std::filesystem;

enum class TensorForm { npz, npy, proto, safetensors, polygraphy };

// Recognises .npz and .npy by their first bytes, whatever the file's name. Other files have no signature, so their name decides.
static Result<TensorForm> formOf(const std::string &path) {
  TILERIG_TRY(MappedFile file, MappedFile::open(path));
  std::string_view text(reinterpret_cast<const char *>(file.bytes().data()), file.bytes().size());
  if (text.starts_with("\x93NUMPY"))
    return TensorForm::npy;
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06"))
    return TensorForm::npz;
  if (path.ends_with(".pb"))
    return TensorForm::proto;
  if (path.ends_with(".safetensors"))
    return TensorForm::safetensors;
  if (path.ends_with(".json"))
    return TensorForm::polygraphy;
  return invalidInput(
      path, "this is not a file of tensors",
      "give an .npz, .npy, .safetensors or TensorProto .pb file, or a .json file of Polygraphy");
}

static Status add(TensorMap &tensors, std::string name, Tensor tensor, const std::string &path) {
  auto status = tensors.add(std::move(name), std::move(tensor));
  return status ? std::move(status) : std::move(status).error().within(path);
}

// Adds a tensor of an .npy or .pb file, if the filter accepts it. The tensor is no larger than its file, so
// it may be read before the filter is asked.
static Status addFiltered(TensorMap &tensors, std::string name, Tensor tensor, const std::string &path,
                          const TensorFilter &filter) {
  TILERIG_TRY(const bool isWanted,
              filter ? filter({name, tensor.dtype(), tensor.shape()}) : Result<bool>(true));
  return isWanted ? add(tensors, std::move(name), std::move(tensor), path) : success();
}

static Status addAll(Result<TensorMap> some, TensorMap &tensors, const std::string &path) {
  TILERIG_CHECK_OK(some);
  for (const NamedTensor &entry : *some)
    TILERIG_CHECK_OK(add(tensors, entry.name, entry.tensor, path));
  return success();
}

static Status addFile(const std::string &path, TensorMap &tensors, const TensorFilter &filter) {
  TILERIG_TRY(TensorForm form, formOf(path));
  std::string stem = fs::path(path).stem().string();
  switch (form) {
  case TensorForm::npy: {
    TILERIG_TRY(Tensor tensor, readNpy(path));
    return addFiltered(tensors, std::move(stem), std::move(tensor), path, filter);
  }
  case TensorForm::proto: {
    TILERIG_TRY(NamedTensor named, readTensorProto(path));
    return addFiltered(tensors, named.name.empty() ? std::move(stem) : std::move(named.name),
                       std::move(named.tensor), path, filter);
  }
  case TensorForm::safetensors: {
    TILERIG_TRY(MappedFile file, MappedFile::open(path));
    const auto owner = std::make_shared<const MappedFile>(std::move(file));
    return addAll(parseSafetensors(owner->bytes(), owner, path, filter), tensors, path);
  }
  case TensorForm::polygraphy: {
    TILERIG_TRY(const MappedFile file, MappedFile::open(path));
    const std::span<const std::byte> bytes = file.bytes();
    return addAll(
        parsePolygraphyJson({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path, filter),
        tensors, path);
  }
  case TensorForm::npz: {
    TILERIG_TRY(NpzReader reader, NpzReader::open(path));
    for (const std::string &name : reader.names()) {
      if (filter) {
        TILERIG_TRY(const NpyHeader header, reader.header(name));
        TILERIG_TRY(const bool isWanted, filter({name, header.dtype, header.shape}));
        if (!isWanted)
          continue;
      }
      TILERIG_TRY(Tensor tensor, reader.load(name));
      TILERIG_CHECK_OK(add(tensors, name, std::move(tensor), path));
    }
    return success();
  }
  }
  return success();
}

// Natural order of names: runs of digits compare as numbers, everything else character by character.
static bool precedes(std::string_view left, std::string_view right) {
  auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
  while (!left.empty() && !right.empty()) {
    if (isDigit(left[0]) && isDigit(right[0])) {
      size_t leftDigits = std::ranges::find_if_not(left, isDigit) - left.begin();
      size_t rightDigits = std::ranges::find_if_not(right, isDigit) - right.begin();
      std::string_view leftRun = left.substr(0, leftDigits), rightRun = right.substr(0, rightDigits);
      leftRun.remove_prefix(std::min(leftRun.find_first_not_of('0'), leftRun.size()));
      rightRun.remove_prefix(std::min(rightRun.find_first_not_of('0'), rightRun.size()));
      if (leftRun != rightRun)
        return std::pair(leftRun.size(), leftRun) < std::pair(rightRun.size(), rightRun);
      left.remove_prefix(leftDigits);
      right.remove_prefix(rightDigits);
      continue;
    }
    if (left[0] != right[0])
      return left[0] < right[0];
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  return left.size() < right.size();
}

static Result<std::vector<std::string>> listFolder(const std::string &path) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator files(path, error), end;
  for (; !error && files != end; files.increment(error))
    if (std::string name = files->path().filename().string(); !name.starts_with('.'))
      names.push_back(std::move(name));
  if (error)
    return invalidInput(path, "cannot list the folder: " + error.message());
  std::ranges::sort(names); // defines the order of names whose numbers are equal, such as 1 and 01
  std::ranges::stable_sort(names, precedes);
  return names;
}

Result<TensorMap> readTensors(const std::string &path, const TensorFilter &filter) {
  TensorMap tensors;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    TILERIG_CHECK_OK(addFile(path, tensors, filter));
    return tensors;
  }
  TILERIG_TRY(std::vector<std::string> names, listFolder(path));
  for (const std::string &name : names)
    if (auto status = addFile((fs::path(path) / name).string(), tensors, filter); !status)
      return std::move(status).error();
  if (tensors.empty())
    return invalidInput(path, "the folder contains no tensors");
  return tensors;
}

Status writeTensors(const std::string &path, const TensorMap &tensors) {
  if (path.ends_with(".npz"))
    return writeNpz(path, tensors);
  bool npy = path.ends_with(".npy");
  if (!npy && !path.ends_with(".pb"))
    return usageError(path, "the file name does not end like that of a tensor file", "use .npz, .npy or .pb");
  if (tensors.size() != 1)
    return usageError(path,
                      fmt::format("a file of this format holds one tensor, but there are {}", tensors.size()),
                      "write an .npz file");
  const NamedTensor &only = *tensors.begin();
  return npy ? writeNpy(path, only.tensor) : writeTensorProto(path, only.name, only.tensor);
}

} // namespace tilerig
