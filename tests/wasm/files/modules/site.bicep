param name string
param location string
param minTlsVersion string

resource app 'Microsoft.Web/sites@2022-09-01' = {
  name: name
  location: location
  properties: {
    httpsOnly: true
    siteConfig: { minTlsVersion: minTlsVersion }
  }
}
