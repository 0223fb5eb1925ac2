//! `use-stable-vm-image`: preview images of virtual machines.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{Item, property};

declare_checks! {
    pub(super) USE_STABLE_VM_IMAGE = Lint Low "bicep/use-stable-vm-image" "Bicep.StableVirtualMachineImage"
        "A virtual machine should not run an image that is a preview"
        "Previews are retired without notice."
        "Use a released image.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let images = file.model.resources.iter().filter_map(|resource| image(file, resource.body.items));
    let values = images.flat_map(|image| {
        let parts = ["offer", "sku", "version"].into_iter();
        parts.filter_map(move |name| Some((name, property(image, name)?)))
    });
    let found = values.filter(|(_, value)| value.literal().is_some_and(|text| text.to_lowercase().contains("preview")));
    found.map(|(name, value)| (value.span, format!("the `{name}` of the image is a preview"))).collect()
}

/// Returns the reference to an image in the body of a resource.
fn image<'w>(file: &LintFile<'w>, body: &'w [Item]) -> Option<&'w [Item]> {
    let profile = property(property(body, "properties")?.as_object()?, "storageProfile")?;
    let image = property(profile.as_object()?, "imageReference")?;
    image.as_object().or_else(|| file.variable(image)?.value?.as_object())
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn an_image_that_is_a_preview_is_found() {
        let text = "resource a 'Microsoft.Compute/virtualMachines@2023-03-01' = {
  name: 'a'
  properties: { storageProfile: { imageReference: {
    offer: 'WindowsServer-Preview'
    sku: '2019'
    version: 'preview'
  } } }
}
var v = { sku: 'PREVIEW' }
resource b 'Microsoft.Compute/virtualMachines@2023-03-01' = {
  name: 'b'
  properties: { storageProfile: { imageReference: v } }
}
";
        assert_eq!(lines("use-stable-vm-image", text), [4, 6, 9]);
    }
}
