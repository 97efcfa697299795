// Operations that resample images: resize, grid sampling and the like.
#ifndef TILERIG_GRAPH_SAMPLING
#define TILERIG_GRAPH_SAMPLING

include "compiler/Graph/IR/GraphBase.td"

class Graph_Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::tilerig::compiler::graph";
}
def Graph_ResizeMode : Graph_Enum<"ResizeMode", "how a value between elements of the input is interpolated", [
    I32EnumAttrCase<"nearest", 0>, I32EnumAttrCase<"linear", 1>, I32EnumAttrCase<"cubic", 2>]>;
def Graph_Coordinates : Graph_Enum<"Coordinates", "how positions in the result are mapped to positions in the input", [
    I32EnumAttrCase<"half_pixel", 0>, I32EnumAttrCase<"half_pixel_symmetric", 1>,
    I32EnumAttrCase<"pytorch_half_pixel", 2>, I32EnumAttrCase<"align_corners", 3>, I32EnumAttrCase<"asymmetric", 4>,
    I32EnumAttrCase<"tf_half_pixel_for_nn", 5>, I32EnumAttrCase<"tf_crop_and_resize", 6>]>;
def Graph_NearestMode : Graph_Enum<"NearestMode", "how a position is rounded to the nearest element", [
    I32EnumAttrCase<"round_prefer_floor", 0>, I32EnumAttrCase<"round_prefer_ceil", 1>,
    I32EnumAttrCase<"floor", 2>, I32EnumAttrCase<"ceil", 3>]>;
def Graph_AspectPolicy : Graph_Enum<"AspectPolicy",
    "whether a resize scales all axes equally, and by which of their scales", [
    I32EnumAttrCase<"stretch", 0>, I32EnumAttrCase<"not_larger", 1>, I32EnumAttrCase<"not_smaller", 2>]>;

def Graph_ResizeOp : Graph_InferredOp<"resize", "Resize"> {
  let summary = "resamples an image by `scales` or to `sizes`: one of the two has a number for each axis, the other is empty";
  let description = [{
    An axis with size -1 keeps its size and is ignored by `policy`. `region` is used by `tf_crop_and_resize` only: the
    starts of all axes, then their ends. Attributes that the given mode does not use have their default values.
  }];
  let arguments = (ins Graph_Tensor:$input, DenseF32ArrayAttr:$scales, DenseI64ArrayAttr:$sizes,
                       Graph_ResizeMode:$mode, Graph_Coordinates:$coordinates, Graph_NearestMode:$nearest,
                       Graph_AspectPolicy:$policy, DenseF32ArrayAttr:$region, F32Attr:$cubicCoefficient,
                       F32Attr:$extrapolation, UnitAttr:$excludeOutside, UnitAttr:$antialias);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_SAMPLING
