#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Support/Progress.h"
#include "isa/Tensor/Npz.h"
#include "isa/Tensor/TensorFiles.h"
#include "isa/Tools/Inspect/Table.h"
#include "isa/Tools/Inspect/Views.h"

#include <cmath>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace tilerig {

using Json = nlohmann::ordered_json;

namespace {

// Smallest and largest element, not counting NaN; null where there is none, as in a complex or empty tensor.
struct Extremes {
  Json low, high;
  uint64_t nans = 0, infinities = 0;
};

// Elements as C++ compares them: 16-bit floats as float, bool as a number.
template <class T>
auto valueOf(T element) {
  if constexpr (std::is_same_v<T, Float16>)
    return toFloat(Fp16{element.bits});
  else if constexpr (std::is_same_v<T, BFloat16>)
    return toFloat(Bf16{element.bits});
  else if constexpr (std::is_same_v<T, bool>)
    return static_cast<uint8_t>(element);
  else
    return element;
}

template <class Value>
Json numberJson(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    if (std::isinf(value))
      return value < 0 ? "-inf" : "inf";
  return value;
}

template <class T>
Extremes extremesOf(std::span<const T> elements) {
  using Value = decltype(valueOf(T()));
  Extremes extremes;
  bool found = false;
  Value low{}, high{};
  for (T element : elements) {
    Value value = valueOf(element);
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isnan(value)) {
        ++extremes.nans;
        continue;
      }
      extremes.infinities += std::isinf(value);
    }
    low = found && low <= value ? low : value;
    high = found && high >= value ? high : value;
    found = true;
  }
  if (found) {
    extremes.low = numberJson(low);
    extremes.high = numberJson(high);
  }
  return extremes;
}

Extremes extremesOf(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() -> Extremes {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
      return {};
    else
      return extremesOf(tensor.as<T>());
  });
}

std::string numberText(const Json &number) {
  if (number.is_null())
    return "";
  return number.is_number_float() ? fmt::format("{:.7g}", number.get<double>())
         : number.is_string()     ? number.get<std::string>()
                                  : number.dump();
}

// The lines of both forms.
struct Listing {
  Table table{{{"tensor"},
               {"type"},
               {"shape"},
               {"elements", Align::right},
               {"size", Align::right},
               {"min", Align::right},
               {"max", Align::right},
               {"NaN", Align::right},
               {"inf", Align::right}}};
  Json tensors = Json::array();

  void add(const std::string &name, const Tensor &tensor) {
    Extremes extremes = extremesOf(tensor);
    table.add({name, std::string(nameOf(tensor.dtype())), showShape(tensor.shape()),
               withSeparators(tensor.elementCount()), sizeText(tensor.sizeBytes()), numberText(extremes.low),
               numberText(extremes.high), withSeparators(extremes.nans),
               withSeparators(extremes.infinities)});
    tensors.push_back({{"name", name},
                       {"dtype", nameOf(tensor.dtype())},
                       {"shape", tensor.shape()},
                       {"elements", tensor.elementCount()},
                       {"size_bytes", tensor.sizeBytes()},
                       {"min", extremes.low},
                       {"max", extremes.high},
                       {"nan", extremes.nans},
                       {"inf", extremes.infinities}});
  }
};

// One tensor after the other, so that a file may be larger than memory.
Status listArchive(const std::string &path, Listing &listing) {
  TRY(NpzReader reader, NpzReader::open(path));
  Progress progress("inspect", reader.names().size());
  for (const std::string &name : reader.names()) {
    TRY(Tensor tensor, reader.load(name));
    listing.add(name, tensor);
    progress.advance();
  }
  return success();
}

Status listFile(const std::string &path, Listing &listing) {
  TRY(TensorMap tensors, readTensors(path));
  for (const NamedTensor &entry : tensors)
    listing.add(entry.name, entry.tensor);
  return success();
}

} // namespace

Result<std::string> inspectTensors(const std::string &path, const InspectOptions &options) {
  Listing listing;
  CHECK_OK(path.ends_with(".npz") ? listArchive(path, listing) : listFile(path, listing));
  if (options.json)
    return dump({{"file", path}, {"kind", "tensors"}, {"tensors", std::move(listing.tensors)}});
  return listing.table.text();
}

} // namespace tilerig
