//! `use-stable-vm-image`: images of virtual machines that are previews.

use crate::compiler::linter::file::{File, Found};
use crate::language::ast::{Expr, Item, property};

pub(super) fn find(file: &File<'_>) -> Vec<Found> {
    let images = file.model.resources.iter().filter_map(|resource| image(file, resource.body.items));
    let values = images.flat_map(|image| {
        let parts = ["offer", "sku", "version"].into_iter();
        parts.filter_map(move |name| Some((name, property(image, name)?)))
    });
    let is_preview = |value: &Expr| value.literal().is_some_and(|text| text.to_lowercase().contains("preview"));
    let found = values.filter(|(_, value)| is_preview(value));
    found.map(|(name, value)| (value.span, format!("the `{name}` of the image is a preview"))).collect()
}

/// The reference to an image in the body of a resource.
fn image<'w>(file: &File<'w>, body: &'w [Item]) -> Option<&'w [Item]> {
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
