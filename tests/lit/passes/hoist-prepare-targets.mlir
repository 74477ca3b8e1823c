// RUN: smp-opt %s --smp-place --smp-lower | FileCheck %s

// What another target's passes have formed is not copied into a prepare stage,
// but computed in the step, where it is; what its own have formed is prepared.
// CHECK-LABEL: smp.stage @prepare_1
// CHECK: smp.group
// CHECK-NOT: smp.softmax
// CHECK: smp.entry @f
// CHECK: smp.group whole
// CHECK: smp.softmax
module attributes {smp.partitions = 2 : i64, smp.targets = [
    #smp.target<"a", whole = ["softmax"]>, #smp.target<"b">]} {
smp.variable @w parameter : tensor<16x16xf32> = #smp.splat<0.5>
smp.variable @v parameter : tensor<16x16xf32> = #smp.splat<0.25>
smp.entry @f(%x: tensor<16x16xf32> {smp.name = "x"}) -> (tensor<16x16xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<16x16xf32>
  %v = smp.read @v : tensor<16x16xf32>
  %0 = smp.softmax %w {axis = 1 : i64, smp.placement = #smp.placement<0, user>} : tensor<16x16xf32>
  %1 = smp.add %0, %x {smp.placement = #smp.placement<1, user>} : tensor<16x16xf32>
  %2 = smp.softmax %v {axis = 0 : i64, smp.placement = #smp.placement<1, user>} : tensor<16x16xf32>
  %3 = smp.add %1, %2 {smp.placement = #smp.placement<1, user>} : tensor<16x16xf32>
  smp.return %3 : tensor<16x16xf32>
}
}
