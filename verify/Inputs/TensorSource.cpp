#include "verify/Inputs/TensorSource.h"

#include "isa/Base/Tensor/TensorFiles.h"

#include <algorithm>

namespace tilerig::verify {

Result<TensorSource> TensorSource::open(const std::string &path) {
  TensorSource source;
  source.file = path;
  if (path.ends_with(".npz")) {
    TILERIG_TRY(NpzReader reader, NpzReader::open(path));
    source.tensorNames = reader.names();
    source.tensors = std::move(reader);
  } else {
    TILERIG_TRY(TensorMap map, readTensors(path));
    for (const NamedTensor &entry : map)
      source.tensorNames.push_back(entry.name);
    source.tensors = std::move(map);
  }
  if (source.tensorNames.empty())
    return invalidInput(path, "the file contains no tensors, so there is nothing to compare");
  return source;
}

bool TensorSource::has(const std::string &name) const {
  return std::ranges::find(tensorNames, name) != tensorNames.end();
}

Result<Tensor> TensorSource::load(const std::string &name) const {
  if (const auto *reader = std::get_if<NpzReader>(&tensors))
    return reader->load(name);
  auto tensor = std::get<TensorMap>(tensors).get(name);
  if (!tensor)
    return std::move(tensor).error().within(file);
  return **tensor;
}

Result<TensorStream> TensorSource::stream(const std::string &name) const {
  if (const auto *reader = std::get_if<NpzReader>(&tensors))
    return reader->stream(name);
  TILERIG_TRY(Tensor tensor, load(name));
  return TensorStream(std::move(tensor));
}

} // namespace tilerig::verify
