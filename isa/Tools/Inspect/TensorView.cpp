#include "isa/Base/CommandLine/TextTable.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Tensor/Npz.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Tools/Inspect/Views.h"

#include <cmath>
#include <cstring>
#include <fmt/core.h>

namespace tilerig {

namespace {

// The smallest and the largest element, ignoring NaN; null if there is none, as for complex or empty tensors.
struct Extremes {
  Json low, high;
  uint64_t nans = 0, infinities = 0;
};

// Converts an element to a type that C++ can compare: 16-bit floats to float, bool to a number.
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
class ExtremeFinder {
public:
  // Updates the smallest and the largest element with the elements in `bytes`, which need not be aligned.
  void add(std::span<const std::byte> bytes) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, &bytes[at], sizeof(T));
      add(valueOf(element));
    }
  }
  Extremes result() const {
    Extremes extremes;
    extremes.nans = nans;
    extremes.infinities = infinities;
    if (hasExtremes) {
      extremes.low = numberJson(low);
      extremes.high = numberJson(high);
    }
    return extremes;
  }

private:
  using Value = decltype(valueOf(T()));

  void add(Value value) {
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isnan(value)) {
        ++nans;
        return;
      }
      infinities += std::isinf(value);
    }
    low = hasExtremes && low <= value ? low : value;
    high = hasExtremes && high >= value ? high : value;
    hasExtremes = true;
  }

  bool hasExtremes = false;
  Value low{}, high{};
  uint64_t nans = 0, infinities = 0;
};

// Complex numbers have no order, so no smallest and largest element is reported; only the checksum of the
// data is verified.
template <class T>
requires std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>
class ExtremeFinder<T> {
public:
  void add(std::span<const std::byte>) {}
  Extremes result() const { return {}; }
};

Result<Extremes> extremesOf(const TensorStream &stream) {
  return dispatch(stream.dtype(), [&]<class T>() -> Result<Extremes> {
    constexpr size_t most = size_t{1} << 20;
    ExtremeFinder<T> finder;
    TensorReader reader(stream);
    std::vector<std::byte> buffer;
    for (size_t done = 0; done < stream.sizeBytes();) {
      TILERIG_TRY(const std::span<const std::byte> bytes, reader.next(most, buffer));
      finder.add(bytes);
      stream.release(bytes);
      done += bytes.size();
    }
    return finder.result();
  });
}

std::string numberText(const Json &number) {
  if (number.is_null())
    return "";
  return number.is_number_float() ? fmt::format("{:.7g}", number.get<double>())
         : number.is_string()     ? number.get<std::string>()
                                  : number.dump();
}

// Collects one row for each tensor, both for the text table and for the JSON output.
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

  Status add(const std::string &name, const TensorStream &tensor) {
    TILERIG_TRY(const Extremes extremes, extremesOf(tensor));
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
    return success();
  }
};

// Tensors are read in parts, because a tensor may be larger than memory even if the file is small:
// compression may make the archive a thousand times smaller than its tensors.
Status listArchive(const std::string &path, Listing &listing) {
  TILERIG_TRY(NpzReader reader, NpzReader::open(path));
  Progress progress("inspect", reader.names().size());
  for (const std::string &name : reader.names()) {
    TILERIG_TRY(const TensorStream tensor, reader.stream(name));
    TILERIG_CHECK_OK(listing.add(name, tensor));
    progress.advance();
  }
  return success();
}

Status listFile(const std::string &path, Listing &listing) {
  TILERIG_TRY(TensorMap tensors, readTensors(path));
  for (const NamedTensor &entry : tensors)
    TILERIG_CHECK_OK(listing.add(entry.name, entry.tensor));
  return success();
}

} // namespace

Result<std::string> inspectTensors(const std::string &path, const InspectOptions &options) {
  Listing listing;
  TILERIG_CHECK_OK(path.ends_with(".npz") ? listArchive(path, listing) : listFile(path, listing));
  if (options.json)
    return dump({{"file", path}, {"kind", "tensors"}, {"tensors", std::move(listing.tensors)}});
  return listing.table.text();
}

} // namespace tilerig
