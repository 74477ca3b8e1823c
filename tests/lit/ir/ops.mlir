// Every op and attribute of the dialect is printed as it is parsed.
// RUN: smp-opt %s --verify-roundtrip | FileCheck %s

// CHECK: module attributes {smp.partitions = 4 : i64, smp.targets = [#smp.target<"a">, #smp.target<"b", whole = ["gelu"], packed_bytes = 128, fused = [#smp.strategy<loop>], group_ops = 2, mixes_widths = true, loops_in_reductions = true, flops_per_second = 3, bytes_per_second = 4, launch_ns = 5, transfer_bytes_per_second = 6, transfer_ns = 7>, #smp.target<"a">, #smp.target<"a">]}
module attributes {smp.partitions = 4 : i64, smp.targets = [
    #smp.target<"a">,
    #smp.target<"b", whole = ["gelu"], packed_bytes = 128, fused = [#smp.strategy<loop>],
      group_ops = 2, mixes_widths = true, loops_in_reductions = true, flops_per_second = 3, bytes_per_second = 4,
      launch_ns = 5, transfer_bytes_per_second = 6, transfer_ns = 7>,
    #smp.target<"a">, #smp.target<"a">]} {

// CHECK: smp.variable @stored parameter : tensor<4x4xf32> = #smp.stored<"model.safetensors">
smp.variable @stored parameter : tensor<4x4xf32> = #smp.stored<"model.safetensors">
// CHECK: smp.variable @splat optimizer : tensor<4xf32> = #smp.splat<{{5.0*e-01|0.5.*}}>
smp.variable @splat optimizer : tensor<4xf32> = #smp.splat<0.5>
// CHECK: smp.variable @counter state : tensor<i64> = #smp.splat<0.0{{.*}}>
smp.variable @counter state : tensor<i64> = #smp.splat<0.0>
// CHECK: smp.variable @normal random : tensor<4xf32> = #smp.normal<0.0{{.*}}, 1.0{{.*}}, 7>
smp.variable @normal random : tensor<4xf32> = #smp.normal<0.0, 1.0, 7>
// CHECK: smp.variable @uniform constant : tensor<4xf32> = #smp.uniform<-1.0{{.*}}, 1.0{{.*}}, 8>
smp.variable @uniform constant : tensor<4xf32> = #smp.uniform<-1.0, 1.0, 8>

// CHECK: smp.entry @structure(%[[X:.*]]: tensor<4xf32> {smp.batch_axis = 0 : i64, smp.name = "x"})
// CHECK-SAME: -> (tensor<4xf32> {smp.name = "y"}) attributes {mode = #smp.mode<train>}
smp.entry @structure(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<4xf32> {smp.name = "y"}) attributes {mode = #smp.mode<train>} {
  // CHECK: %[[W:.*]] = smp.read @splat : tensor<4xf32>
  %w = smp.read @splat : tensor<4xf32>
  // CHECK: %[[P:.*]] = smp.prepared @prepare[0] : tensor<4x4xf32>
  %p = smp.prepared @prepare[0] : tensor<4x4xf32>
  // CHECK: %[[S:.*]] = smp.add %[[X]], %[[W]] {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %s = smp.add %x, %w {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  // CHECK: smp.assign @splat, %[[S]] : tensor<4xf32>
  smp.assign @splat, %s : tensor<4xf32>
  // CHECK: %[[T:.*]] = smp.transfer %[[S]] to 1 {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  %t = smp.transfer %s to 1 {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  // CHECK: %[[R:.*]]:2 = smp.run @part(%[[T]], %[[P]]) : (tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r:2 = smp.run @part(%t, %p) : (tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %[[G:.*]] = smp.group loop(%[[R]]#0) {smp.placement = #smp.placement<all, solver>} : (tensor<4xf32>) -> tensor<4xf32> {
  %g = smp.group loop(%r#0) {smp.placement = #smp.placement<all, solver>} : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>):
  ^bb0(%a: tensor<4xf32>):
    // CHECK: %[[E:.*]] = smp.exp %[[A]] : tensor<4xf32>
    %e = smp.exp %a : tensor<4xf32>
    // CHECK: smp.return %[[E]] : tensor<4xf32>
    smp.return %e : tensor<4xf32>
  }
  // CHECK: smp.return %[[G]] : tensor<4xf32>
  smp.return %g : tensor<4xf32>
}

// CHECK: smp.entry @empty() {
smp.entry @empty() {
  // CHECK: smp.return
  smp.return
}

// CHECK: smp.stage @part(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {partition = 1 : i64}
smp.stage @part(%x: tensor<4xf32>, %w: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {partition = 1 : i64} {
  smp.return %x, %x : tensor<4xf32>, tensor<4xf32>
}
// CHECK: smp.stage @prepare() -> tensor<4x4xf32> attributes {partition = 1 : i64, unit = #smp.unit<prepare>}
smp.stage @prepare() -> tensor<4x4xf32> attributes {partition = 1 : i64, unit = #smp.unit<prepare>} {
  %w = smp.read @stored : tensor<4x4xf32>
  smp.return %w : tensor<4x4xf32>
}
smp.stage @backward() attributes {partition = 1 : i64, unit = #smp.unit<backward_input>} {
  smp.return
}
smp.stage @weights() attributes {partition = 1 : i64, unit = #smp.unit<backward_weight>} {
  smp.return
}
smp.stage @update() attributes {partition = 1 : i64, unit = #smp.unit<update>} {
  smp.return
}

// CHECK-LABEL: smp.stage @unary(
smp.stage @unary(%f: tensor<4xf32>, %i: tensor<4xi32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.abs %{{.*}} : tensor<4xf32>
  %0 = smp.abs %f : tensor<4xf32>
  // CHECK: smp.neg %{{.*}} : tensor<4xf32>
  %1 = smp.neg %f : tensor<4xf32>
  // CHECK: smp.sign %{{.*}} : tensor<4xf32>
  %2 = smp.sign %f : tensor<4xf32>
  // CHECK: smp.exp %{{.*}} : tensor<4xf32>
  %3 = smp.exp %f : tensor<4xf32>
  // CHECK: smp.log %{{.*}} : tensor<4xf32>
  %4 = smp.log %f : tensor<4xf32>
  // CHECK: smp.log1p %{{.*}} : tensor<4xf32>
  %5 = smp.log1p %f : tensor<4xf32>
  // CHECK: smp.expm1 %{{.*}} : tensor<4xf32>
  %6 = smp.expm1 %f : tensor<4xf32>
  // CHECK: smp.sqrt %{{.*}} : tensor<4xf32>
  %7 = smp.sqrt %f : tensor<4xf32>
  // CHECK: smp.rsqrt %{{.*}} : tensor<4xf32>
  %8 = smp.rsqrt %f : tensor<4xf32>
  // CHECK: smp.tanh %{{.*}} : tensor<4xf32>
  %9 = smp.tanh %f : tensor<4xf32>
  // CHECK: smp.erf %{{.*}} : tensor<4xf32>
  %10 = smp.erf %f : tensor<4xf32>
  // CHECK: smp.sin %{{.*}} : tensor<4xf32>
  %11 = smp.sin %f : tensor<4xf32>
  // CHECK: smp.cos %{{.*}} : tensor<4xf32>
  %12 = smp.cos %f : tensor<4xf32>
  // CHECK: smp.tan %{{.*}} : tensor<4xf32>
  %13 = smp.tan %f : tensor<4xf32>
  // CHECK: smp.asin %{{.*}} : tensor<4xf32>
  %14 = smp.asin %f : tensor<4xf32>
  // CHECK: smp.acos %{{.*}} : tensor<4xf32>
  %15 = smp.acos %f : tensor<4xf32>
  // CHECK: smp.atan %{{.*}} : tensor<4xf32>
  %16 = smp.atan %f : tensor<4xf32>
  // CHECK: smp.sinh %{{.*}} : tensor<4xf32>
  %17 = smp.sinh %f : tensor<4xf32>
  // CHECK: smp.cosh %{{.*}} : tensor<4xf32>
  %18 = smp.cosh %f : tensor<4xf32>
  // CHECK: smp.asinh %{{.*}} : tensor<4xf32>
  %19 = smp.asinh %f : tensor<4xf32>
  // CHECK: smp.acosh %{{.*}} : tensor<4xf32>
  %20 = smp.acosh %f : tensor<4xf32>
  // CHECK: smp.atanh %{{.*}} : tensor<4xf32>
  %21 = smp.atanh %f : tensor<4xf32>
  // CHECK: smp.floor %{{.*}} : tensor<4xf32>
  %22 = smp.floor %f : tensor<4xf32>
  // CHECK: smp.ceil %{{.*}} : tensor<4xf32>
  %23 = smp.ceil %f : tensor<4xf32>
  // CHECK: smp.round %{{.*}} : tensor<4xf32>
  %24 = smp.round %f : tensor<4xf32>
  // CHECK: smp.relu %{{.*}} : tensor<4xf32>
  %25 = smp.relu %f : tensor<4xf32>
  // CHECK: smp.sigmoid %{{.*}} : tensor<4xf32>
  %26 = smp.sigmoid %f : tensor<4xf32>
  // CHECK: smp.silu %{{.*}} : tensor<4xf32>
  %27 = smp.silu %f : tensor<4xf32>
  // CHECK: smp.softplus %{{.*}} : tensor<4xf32>
  %28 = smp.softplus %f : tensor<4xf32>
  // CHECK: smp.gelu %{{.*}} : tensor<4xf32>
  %29 = smp.gelu %f : tensor<4xf32>
  // CHECK: smp.gelu %{{.*}} {approximate} : tensor<4xf32>
  %30 = smp.gelu %f {approximate} : tensor<4xf32>
  // CHECK: smp.not %{{.*}} : tensor<4xi32>
  %31 = smp.not %i : tensor<4xi32>
  // CHECK: smp.is_nan %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %32 = smp.is_nan %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.is_inf %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %33 = smp.is_inf %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.convert %{{.*}} : tensor<4xf32> to tensor<4xi8>
  %34 = smp.convert %f : tensor<4xf32> to tensor<4xi8>
  // CHECK: smp.bit_cast %{{.*}} : tensor<4xf32> to tensor<4xi32>
  %35 = smp.bit_cast %f : tensor<4xf32> to tensor<4xi32>
  smp.return
}

// CHECK-LABEL: smp.stage @binary(
smp.stage @binary(%f: tensor<4xf32>, %g: tensor<4xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>, %p: tensor<4xi1>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = smp.add %f, %g : tensor<4xf32>
  // CHECK: smp.sub %{{.*}}, %{{.*}} : tensor<4xf32>
  %1 = smp.sub %f, %g : tensor<4xf32>
  // CHECK: smp.mul %{{.*}}, %{{.*}} : tensor<4xf32>
  %2 = smp.mul %f, %g : tensor<4xf32>
  // CHECK: smp.div %{{.*}}, %{{.*}} : tensor<4xf32>
  %3 = smp.div %f, %g : tensor<4xf32>
  // CHECK: smp.rem %{{.*}}, %{{.*}} : tensor<4xf32>
  %4 = smp.rem %f, %g : tensor<4xf32>
  // CHECK: smp.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %5 = smp.pow %f, %g : tensor<4xf32>
  // CHECK: smp.max %{{.*}}, %{{.*}} : tensor<4xf32>
  %6 = smp.max %f, %g : tensor<4xf32>
  // CHECK: smp.min %{{.*}}, %{{.*}} : tensor<4xf32>
  %7 = smp.min %f, %g : tensor<4xf32>
  // CHECK: smp.and %{{.*}}, %{{.*}} : tensor<4xi32>
  %8 = smp.and %i, %j : tensor<4xi32>
  // CHECK: smp.or %{{.*}}, %{{.*}} : tensor<4xi32>
  %9 = smp.or %i, %j : tensor<4xi32>
  // CHECK: smp.xor %{{.*}}, %{{.*}} : tensor<4xi32>
  %10 = smp.xor %i, %j : tensor<4xi32>
  // CHECK: smp.shift_left %{{.*}}, %{{.*}} : tensor<4xi32>
  %11 = smp.shift_left %i, %j : tensor<4xi32>
  // CHECK: smp.shift_right %{{.*}}, %{{.*}} : tensor<4xi32>
  %12 = smp.shift_right %i, %j : tensor<4xi32>
  // CHECK: smp.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %13 = smp.compare eq %f, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.compare ne %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %14 = smp.compare ne %f, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.compare lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %15 = smp.compare lt %f, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.compare le %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %16 = smp.compare le %f, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.compare gt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %17 = smp.compare gt %f, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.compare ge %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %18 = smp.compare ge %f, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: smp.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %fma = smp.fma %f, %g, %f : tensor<4xf32>
  // CHECK: smp.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %19 = smp.select %p, %f, %g : tensor<4xi1>, tensor<4xf32>
  smp.return
}

// CHECK-LABEL: smp.stage @element_types(
smp.stage @element_types(%f64: tensor<2xf64>, %f32: tensor<2xf32>, %bf16: tensor<2xbf16>, %f16: tensor<2xf16>, %i64: tensor<2xi64>, %i32: tensor<2xi32>, %i16: tensor<2xi16>, %i8: tensor<2xi8>, %ui64: tensor<2xui64>, %ui32: tensor<2xui32>, %ui16: tensor<2xui16>, %ui8: tensor<2xui8>, %i1: tensor<2xi1>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xf64>
  %0 = smp.add %f64, %f64 : tensor<2xf64>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xf32>
  %1 = smp.add %f32, %f32 : tensor<2xf32>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xbf16>
  %2 = smp.add %bf16, %bf16 : tensor<2xbf16>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xf16>
  %3 = smp.add %f16, %f16 : tensor<2xf16>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xi64>
  %4 = smp.add %i64, %i64 : tensor<2xi64>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xi32>
  %5 = smp.add %i32, %i32 : tensor<2xi32>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xi16>
  %6 = smp.add %i16, %i16 : tensor<2xi16>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xi8>
  %7 = smp.add %i8, %i8 : tensor<2xi8>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xui64>
  %8 = smp.add %ui64, %ui64 : tensor<2xui64>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xui32>
  %9 = smp.add %ui32, %ui32 : tensor<2xui32>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xui16>
  %10 = smp.add %ui16, %ui16 : tensor<2xui16>
  // CHECK: smp.add %{{.*}}, %{{.*}} : tensor<2xui8>
  %11 = smp.add %ui8, %ui8 : tensor<2xui8>
  // CHECK: smp.or %{{.*}}, %{{.*}} : tensor<2xi1>
  %12 = smp.or %i1, %i1 : tensor<2xi1>
  smp.return
}

// CHECK-LABEL: smp.stage @shapes(
smp.stage @shapes(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %e: tensor<0x3xf32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = smp.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK: smp.iota 1 : tensor<2x3xi64>
  %1 = smp.iota 1 : tensor<2x3xi64>
  // CHECK: smp.reshape %{{.*}} : tensor<2x3xf32> to tensor<6x1xf32>
  %2 = smp.reshape %x : tensor<2x3xf32> to tensor<6x1xf32>
  // CHECK: smp.transpose %{{.*}} {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: smp.broadcast %{{.*}} {dimensions = array<i64: 1>} : tensor<3xf32> to tensor<2x3xf32>
  %4 = smp.broadcast %v {dimensions = array<i64: 1>} : tensor<3xf32> to tensor<2x3xf32>
  // CHECK: smp.slice %{{.*}} {limits = array<i64: 2, 3>, starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %5 = smp.slice %x {limits = array<i64: 2, 3>, starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // CHECK: smp.reverse %{{.*}} {dimensions = array<i64: 0, 1>} : tensor<2x3xf32>
  %6 = smp.reverse %x {dimensions = array<i64: 0, 1>} : tensor<2x3xf32>
  // CHECK: smp.pad %{{.*}}, %{{.*}} {high = array<i64: 0, 1>, interior = array<i64: 0, 1>, low = array<i64: 1, -1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x5xf32>
  %7 = smp.pad %x, %s {high = array<i64: 0, 1>, interior = array<i64: 0, 1>, low = array<i64: 1, -1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x5xf32>
  // CHECK: smp.pad %{{.*}}, %{{.*}} {high = array<i64: 1, 2>, interior = array<i64: 0, 0>, low = array<i64: 1, 2>, mode = #smp.pad_mode<reflect>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x7xf32>
  %8 = smp.pad %x, %s {high = array<i64: 1, 2>, interior = array<i64: 0, 0>, low = array<i64: 1, 2>, mode = #smp.pad_mode<reflect>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x7xf32>
  // CHECK: smp.pad %{{.*}}, %{{.*}} {high = array<i64: 9, 9>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>, mode = #smp.pad_mode<edge>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<11x12xf32>
  %9 = smp.pad %x, %s {high = array<i64: 9, 9>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>, mode = #smp.pad_mode<edge>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<11x12xf32>
  // CHECK: smp.pad %{{.*}}, %{{.*}} {high = array<i64: 2, 3>, interior = array<i64: 0, 0>, low = array<i64: 2, 3>, mode = #smp.pad_mode<wrap>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<6x9xf32>
  %10 = smp.pad %x, %s {high = array<i64: 2, 3>, interior = array<i64: 0, 0>, low = array<i64: 2, 3>, mode = #smp.pad_mode<wrap>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<6x9xf32>
  // CHECK: smp.concat %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<2x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %11 = smp.concat %x, %e, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  smp.return
}

// CHECK-LABEL: smp.stage @contractions(
smp.stage @contractions(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>, %l: tensor<1x9x9x4xf32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.dot_general %{{.*}}, %{{.*}} {lhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  %0 = smp.dot_general %a, %b {lhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 1>} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  // CHECK: smp.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 2>, groups = 2 : i64, high = array<i64: 1, 2>, low = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x5x9xf32>
  %1 = smp.conv %x, %w {dilations = array<i64: 1, 2>, groups = 2 : i64, high = array<i64: 1, 2>, low = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x5x9xf32>
  // CHECK: smp.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 2 : i64, high = array<i64: 0, 0>, layout = #smp.layout<channels_last>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x9x9x4xf32>, tensor<6x2x3x3xf32>) -> tensor<1x7x7x6xf32>
  %2 = smp.conv %l, %w {dilations = array<i64: 1, 1>, groups = 2 : i64, high = array<i64: 0, 0>, layout = #smp.layout<channels_last>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x9x9x4xf32>, tensor<6x2x3x3xf32>) -> tensor<1x7x7x6xf32>
  // CHECK: smp.window_reduce %{{.*}} {dilations = array<i64: 1, 1>, high = array<i64: 1, 1>, kind = #smp.reduce<max>, low = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  %3 = smp.window_reduce %x {dilations = array<i64: 1, 1>, high = array<i64: 1, 1>, kind = #smp.reduce<max>, low = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  // CHECK: smp.avg_pool %{{.*}} {count_padding, dilations = array<i64: 1, 1>, high = array<i64: 1, 1>, low = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  %4 = smp.avg_pool %x {count_padding, dilations = array<i64: 1, 1>, high = array<i64: 1, 1>, low = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<1x4x9x9xf32>) -> tensor<1x4x5x5xf32>
  // CHECK: smp.reduce sum %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  %5 = smp.reduce sum %a {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  // CHECK: smp.reduce sum_squares %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  %squares = smp.reduce sum_squares %a {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  // CHECK: smp.reduce prod %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  %6 = smp.reduce prod %a {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  // CHECK: smp.reduce max %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  %7 = smp.reduce max %a {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  // CHECK: smp.reduce min %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  %8 = smp.reduce min %a {dimensions = array<i64: 0, 2>} : (tensor<2x4x8xf32>) -> tensor<4xf32>
  // CHECK: smp.arg_reduce max %{{.*}} {axis = 1 : i64} : (tensor<2x4x8xf32>) -> tensor<2x8xi64>
  %9 = smp.arg_reduce max %a {axis = 1 : i64} : (tensor<2x4x8xf32>) -> tensor<2x8xi64>
  // CHECK: smp.arg_reduce min %{{.*}} {axis = 1 : i64, select_last} : (tensor<2x4x8xf32>) -> tensor<2x8xi64>
  %10 = smp.arg_reduce min %a {axis = 1 : i64, select_last} : (tensor<2x4x8xf32>) -> tensor<2x8xi64>
  // CHECK: smp.scan sum %{{.*}} {axis = 2 : i64} : tensor<2x4x8xf32>
  %11 = smp.scan sum %a {axis = 2 : i64} : tensor<2x4x8xf32>
  // CHECK: smp.scan prod %{{.*}} {axis = 2 : i64, exclusive, reverse} : tensor<2x4x8xf32>
  %12 = smp.scan prod %a {axis = 2 : i64, exclusive, reverse} : tensor<2x4x8xf32>
  smp.return
}

// CHECK-LABEL: smp.stage @indexing(
smp.stage @indexing(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<10x2xi32>, %n: tensor<3x1xi64>, %u: tensor<10x2xf32>, %r: tensor<3x4xf32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.gather %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %0 = smp.gather %t, %i {axis = 0 : i64} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  // CHECK: smp.gather_elements %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<10x4xf32>, tensor<10x2xi32>) -> tensor<10x2xf32>
  %1 = smp.gather_elements %t, %e {axis = 1 : i64} : (tensor<10x4xf32>, tensor<10x2xi32>) -> tensor<10x2xf32>
  // CHECK: smp.gather_nd %{{.*}}, %{{.*}} {batch_dims = 0 : i64} : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  %2 = smp.gather_nd %t, %n {batch_dims = 0 : i64} : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  // CHECK: smp.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, kind = #smp.scatter_kind<replace>} : (tensor<10x4xf32>, tensor<10x2xi32>, tensor<10x2xf32>) -> tensor<10x4xf32>
  %3 = smp.scatter_elements %t, %e, %u {axis = 1 : i64, kind = #smp.scatter_kind<replace>} : (tensor<10x4xf32>, tensor<10x2xi32>, tensor<10x2xf32>) -> tensor<10x4xf32>
  // CHECK: smp.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, kind = #smp.scatter_kind<sum>} : (tensor<10x4xf32>, tensor<10x2xi32>, tensor<10x2xf32>) -> tensor<10x4xf32>
  %4 = smp.scatter_elements %t, %e, %u {axis = 1 : i64, kind = #smp.scatter_kind<sum>} : (tensor<10x4xf32>, tensor<10x2xi32>, tensor<10x2xf32>) -> tensor<10x4xf32>
  // CHECK: smp.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} {kind = #smp.scatter_kind<prod>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %5 = smp.scatter_nd %t, %n, %r {kind = #smp.scatter_kind<prod>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: smp.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} {kind = #smp.scatter_kind<max>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %6 = smp.scatter_nd %t, %n, %r {kind = #smp.scatter_kind<max>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: smp.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} {kind = #smp.scatter_kind<min>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %7 = smp.scatter_nd %t, %n, %r {kind = #smp.scatter_kind<min>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: smp.top_k %{{.*}} {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<10x4xf32>) -> (tensor<10x2xf32>, tensor<10x2xi64>)
  %8:2 = smp.top_k %t {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<10x4xf32>) -> (tensor<10x2xf32>, tensor<10x2xi64>)
  smp.return
}

// CHECK-LABEL: smp.stage @composites(
smp.stage @composites(%x: tensor<2x6xf32>, %v: tensor<6xf32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.softmax %{{.*}} {axis = 1 : i64} : tensor<2x6xf32>
  %0 = smp.softmax %x {axis = 1 : i64} : tensor<2x6xf32>
  // CHECK: smp.log_softmax %{{.*}} {axis = 1 : i64} : tensor<2x6xf32>
  %1 = smp.log_softmax %x {axis = 1 : i64} : tensor<2x6xf32>
  // CHECK: smp.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  %2 = smp.layer_norm %x, %v, %v {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  // CHECK: smp.rms_norm %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  %3 = smp.rms_norm %x, %v {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  // CHECK: smp.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  %4 = smp.batch_norm %x, %v, %v, %v, %v {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  // CHECK: smp.stop_gradient %{{.*}} : tensor<2x6xf32>
  %5 = smp.stop_gradient %x : tensor<2x6xf32>
  smp.return
}

// CHECK-LABEL: smp.stage @products(
smp.stage @products(%b: tensor<1x8x20xf32>, %a: tensor<4x8xf32>, %p: tensor<256xf32>, %x: tensor<1x9x9x4xf32>, %w: tensor<1152xf32>, %d: tensor<3x3x4xf32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.pack %{{.*}} : (tensor<1x8x20xf32>) -> tensor<256xf32>
  %0 = smp.pack %b : (tensor<1x8x20xf32>) -> tensor<256xf32>
  // CHECK: smp.packed_matmul %{{.*}}, %{{.*}} {columns = 20 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x20xf32>
  %1 = smp.packed_matmul %a, %p {columns = 20 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x20xf32>
  // CHECK: smp.packed_conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, features = 6 : i64, groups = 2 : i64, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<1x9x9x4xf32>, tensor<1152xf32>) -> tensor<1x7x7x6xf32>
  %2 = smp.packed_conv %x, %w {dilations = array<i64: 1, 1>, features = 6 : i64, groups = 2 : i64, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<1x9x9x4xf32>, tensor<1152xf32>) -> tensor<1x7x7x6xf32>
  // CHECK: smp.depthwise_conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x9x9x4xf32>, tensor<3x3x4xf32>) -> tensor<1x7x7x4xf32>
  %3 = smp.depthwise_conv %x, %d {dilations = array<i64: 1, 1>, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x9x9x4xf32>, tensor<3x3x4xf32>) -> tensor<1x7x7x4xf32>
  smp.return
}

// CHECK-LABEL: smp.entry @taps(
smp.entry @taps(%x: tensor<4xf32> {smp.name = "x"}) {
  // CHECK: smp.tap statistics input "x", %{{.*}} : tensor<4xf32>
  smp.tap statistics input "x", %x : tensor<4xf32>
  // CHECK: smp.tap whole gradient "gradient/w", %{{.*}} : tensor<4xf32>
  smp.tap whole gradient "gradient/w", %x : tensor<4xf32>
  // CHECK: smp.statistics %{{.*}} : (tensor<4xf32>) -> tensor<1x10xf64>
  %0 = smp.statistics %x : (tensor<4xf32>) -> tensor<1x10xf64>
  smp.return
}

// CHECK-LABEL: smp.stage @gradients(
smp.stage @gradients(%l: tensor<f32>, %x: tensor<4xf32>, %y: tensor<2xf32>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.gradient %{{.*}} of %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  %0:2 = smp.gradient %l of %x, %y : (tensor<f32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  smp.return
}

// CHECK-LABEL: smp.stage @steps(
smp.stage @steps(%x: tensor<4xf32>, %step: tensor<i64>)
    attributes {partition = 0 : i64} {
  // CHECK: smp.accumulate %{{.*}} : tensor<4xf32>
  %0 = smp.accumulate %x : tensor<4xf32>
  // CHECK: smp.accumulate %{{.*}} {mean} : tensor<4xf32>
  %1 = smp.accumulate %x {mean} : tensor<4xf32>
  // CHECK: smp.microbatch : tensor<1xi64>
  %2 = smp.microbatch : tensor<1xi64>
  // CHECK: smp.random %{{.*}}, %{{.*}} {seed = 7 : i64, site = 1 : i64} : (tensor<i64>, tensor<1xi64>) -> tensor<8x16xf32>
  %3 = smp.random %step, %2 {seed = 7 : i64, site = 1 : i64} : (tensor<i64>, tensor<1xi64>) -> tensor<8x16xf32>
  smp.return
}
}
