#include "compiler/Graph/IR/TensorAttributes.h"

#include "compiler/Graph/IR/Graph.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <cstring>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/DialectResourceBlobManager.h>

namespace tilerig::compiler {

namespace {

// Constants of at most this many bytes are stored as dense elements, larger ones as MLIR resources.
constexpr size_t mostDenseBytes = 1024;

bool isBoolean(mlir::Type element) { return element.isInteger(1); }

template <class T>
constexpr bool isFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class T>
double toDouble(T value) {
  if constexpr (std::is_same_v<T, Float16>)
    return static_cast<double>(toFloat(Fp16{value.bits}));
  else if constexpr (std::is_same_v<T, BFloat16>)
    return static_cast<double>(toFloat(Bf16{value.bits}));
  else
    return static_cast<double>(value);
}

template <class T>
T fromDouble(double value) {
  if constexpr (std::is_same_v<T, Float16>)
    return {fp16FromDouble(value).bits};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return {bf16FromDouble(value).bits};
  else
    return static_cast<T>(value);
}

// The tensor that the resource shares its bytes with; null for resources that were read from text.
std::shared_ptr<const Tensor> sharedTensorOf(mlir::DenseResourceElementsAttr resource) {
  const auto *dialect = resource.getContext()->getLoadedDialect<graph::GraphDialect>();
  return dialect ? dialect->resourceTensors.lookup(resource.getRawHandle().getBlob()->getData().data()).lock()
                 : nullptr;
}

} // namespace

mlir::Type elementTypeOf(mlir::MLIRContext &context, DType type) {
  const auto integer = [&](unsigned bits, bool isUnsigned) -> mlir::Type {
    return mlir::IntegerType::get(&context, bits,
                                  isUnsigned ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
  };
  switch (type) {
  case DType::f16:
    return mlir::Float16Type::get(&context);
  case DType::bf16:
    return mlir::BFloat16Type::get(&context);
  case DType::f32:
    return mlir::Float32Type::get(&context);
  case DType::f64:
    return mlir::Float64Type::get(&context);
  case DType::i8:
    return integer(8, false);
  case DType::i16:
    return integer(16, false);
  case DType::i32:
    return integer(32, false);
  case DType::i64:
    return integer(64, false);
  case DType::u8:
    return integer(8, true);
  case DType::u16:
    return integer(16, true);
  case DType::u32:
    return integer(32, true);
  case DType::u64:
    return integer(64, true);
  case DType::boolean:
    return integer(1, false);
  case DType::c64:
    return mlir::ComplexType::get(mlir::Float32Type::get(&context));
  case DType::c128:
    return mlir::ComplexType::get(mlir::Float64Type::get(&context));
  }
  return {};
}

std::optional<DType> dtypeOfElement(mlir::Type element) {
  for (size_t i = 0; i < numDTypes; ++i)
    if (const auto type = static_cast<DType>(i); elementTypeOf(*element.getContext(), type) == element)
      return type;
  return {};
}

mlir::ElementsAttr attributeOf(mlir::MLIRContext &context, const Tensor &tensor, llvm::StringRef name) {
  const auto type = mlir::RankedTensorType::get(tensor.shape(), elementTypeOf(context, tensor.dtype()));
  const llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(tensor.bytes().data()), tensor.sizeBytes());
  // Booleans are always dense: dense elements pack them into bits, and resources cannot hold them.
  if (isBoolean(type.getElementType())) {
    llvm::SmallVector<bool> flags(llvm::map_range(bytes, [](char byte) { return byte != 0; }));
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(flags));
  }
  if (bytes.size() <= mostDenseBytes)
    return mlir::DenseElementsAttr::getFromRawBuffer(type, bytes);
  auto owner = std::make_shared<const Tensor>(tensor);
  if (auto *dialect = context.getLoadedDialect<graph::GraphDialect>())
    dialect->resourceTensors[bytes.data()] = owner;
  auto blob = mlir::UnmanagedAsmResourceBlob::allocateWithAlign(
      // Only the alignment of one element can be promised, since the bytes may be part of a model file.
      bytes, componentBytes(tensor.dtype()), [owner](void *, size_t, size_t) mutable { owner.reset(); });
  return mlir::DenseResourceElementsAttr::get(type, name, std::move(blob));
}

Tensor tensorOf(mlir::ElementsAttr attribute) {
  const auto type = llvm::cast<mlir::RankedTensorType>(attribute.getType());
  const DType dtype = *dtypeOfElement(type.getElementType());
  const Shape shape(type.getShape().begin(), type.getShape().end());
  const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attribute);
  if (resource)
    if (auto tensor = sharedTensorOf(resource);
        tensor && tensor->dtype() == dtype && tensor->shape() == shape)
      return *tensor;
  Tensor tensor(dtype, shape);
  const std::span<std::byte> to = tensor.mutableBytes();
  if (resource) {
    const llvm::ArrayRef<char> from = resource.getRawHandle().getBlob()->getData();
    std::memcpy(to.data(), from.data(), to.size());
    return tensor;
  }
  const auto dense = llvm::cast<mlir::DenseElementsAttr>(attribute);
  if (isBoolean(type.getElementType())) {
    size_t at = 0;
    for (const bool flag : dense.getValues<bool>())
      to[at++] = static_cast<std::byte>(flag);
    return tensor;
  }
  const llvm::ArrayRef<char> from = dense.getRawData();
  // A splat attribute stores one element, which is copied to every element of the tensor. The bytes of any
  // other attribute are copied as a whole.
  for (size_t at = 0; at < to.size(); at += from.size())
    std::memcpy(to.data() + at, from.data(), from.size());
  return tensor;
}

std::optional<std::vector<double>> doublesIn(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() -> std::optional<std::vector<double>> {
    if constexpr (isFloat<T>) {
      std::vector<double> values(tensor.elementCount());
      std::ranges::transform(tensor.as<T>(), values.begin(), toDouble<T>);
      return values;
    } else {
      return {};
    }
  });
}

Tensor floatTensor(DType type, Shape shape, const std::vector<double> &values) {
  Tensor tensor(type, std::move(shape));
  dispatch(type, [&]<class T>() {
    if constexpr (isFloat<T>)
      std::ranges::transform(values, tensor.mutableAs<T>().begin(), fromDouble<T>);
  });
  return tensor;
}

} // namespace tilerig::compiler
