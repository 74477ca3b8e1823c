// Mode manual: annotations decide, the rest goes to the default partition.
// RUN: smp-opt %s --smp-place="mode=manual partitions=4" | FileCheck %s
// RUN: smp-opt %s --smp-place="mode=manual partitions=4 default-partition=2" | FileCheck %s --check-prefix=TWO
// RUN: not smp-opt %s --smp-place="mode=manual partitions=3" 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not smp-opt %s --smp-place="mode=manual partitions=4 default-partition=4" 2>&1 | FileCheck %s --check-prefix=DEFAULT

// The example of the documentation that smp comes from: x is outside of all
// partition scopes, y in that of 1, z in that of 3 inside it.
// THREE: 'z' is pinned to partition 3, but there are 3 (0..2); pin it to one of them or compile for at least 4
// DEFAULT: default-partition is 4, but there are 4 partitions (0..3)
// CHECK: module attributes {smp.partitions = 4 : i64}
smp.entry @predict() -> (tensor<f32> {smp.name = "z"}) {
  // CHECK: %[[X:.*]] = smp.constant dense<1.2{{.*}}> : tensor<f32> {smp.placement = #smp.placement<0, propagated>}
  // TWO: smp.constant dense<1.2{{.*}}> : tensor<f32> {smp.placement = #smp.placement<2, propagated>}
  %x = smp.constant dense<1.2> : tensor<f32> loc("x")
  // CHECK-NEXT: %[[C:.*]] = smp.constant dense<2.3{{.*}}> : tensor<f32> {smp.placement = #smp.placement<1, user>}
  %c = smp.constant dense<2.3> : tensor<f32> {smp.placement = #smp.placement<1, user>}
  // CHECK-NEXT: %[[Y:.*]] = smp.add %[[X]], %[[C]] {smp.placement = #smp.placement<1, user>} : tensor<f32>
  %y = smp.add %x, %c {smp.placement = #smp.placement<1, user>} : tensor<f32> loc("y")
  // CHECK-NEXT: smp.reduce sum %[[Y]] {dimensions = array<i64>, smp.placement = #smp.placement<3, user>}
  %z = smp.reduce sum %y {dimensions = array<i64>, smp.placement = #smp.placement<3, user>} : (tensor<f32>) -> tensor<f32> loc("z")
  smp.return %z : tensor<f32>
}
