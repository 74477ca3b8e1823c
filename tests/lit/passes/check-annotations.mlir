// Sound pins pass; the number of partitions is recorded when given.
// RUN: smp-opt %s --smp-check-annotations=partitions=4 | FileCheck %s
// RUN: smp-opt %s --smp-check-annotations="partitions=2 ignore-pins" | FileCheck %s --check-prefix=IGNORE

// CHECK: module attributes {smp.partitions = 4 : i64}
// IGNORE: module attributes {smp.partitions = 2 : i64}
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>

smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32>
  // CHECK: smp.add {{.*}} {smp.placement = #smp.placement<3, user>}
  %0 = smp.add %x, %w {smp.placement = #smp.placement<3, user>} : tensor<4xf32>
  %1 = smp.mul %0, %w {smp.placement = #smp.placement<3, user>} : tensor<4xf32>
  // CHECK: smp.exp {{.*}} {smp.placement = #smp.placement<all, user>}
  %2 = smp.exp %1 {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  smp.return %2 : tensor<4xf32>
}
}
